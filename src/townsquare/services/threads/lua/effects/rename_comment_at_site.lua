--[[
  Replace the id of a comment in the lists and reports of its site.

  Keys:  site_comments(site_id), site_modqueue(site_id), site_alerts_new(site_id), site_reports(site_id)
  Input: site_id string, old_id string, new_id string, reports json
  Include: renaming
]]
rename_member(key.site_comments(site_id), old_id, new_id)
rename_member(key.site_modqueue(site_id), old_id, new_id)
rename_member(key.site_alerts_new(site_id), old_id, new_id)
for place = 1, #reports, 2 do rename_member(key.site_reports(site_id), reports[place], reports[place + 1]) end
