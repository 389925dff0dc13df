--[[
  Whoever has a product on the wishlist is being deleted.

  Keys:    wishlisted_by(product)
  Input:   product string, gone string
  Include: product_figures
]]
set_wish(product, gone, false)
