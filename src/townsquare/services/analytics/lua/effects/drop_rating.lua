--[[
  Whoever rated a product is being deleted.

  Keys:    rated_by(product)
  Input:   product string, gone string
  Include: product_figures
]]
set_rating(product, gone, 0)
