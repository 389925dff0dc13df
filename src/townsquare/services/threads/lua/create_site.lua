--[[
  Create a site with its two keys.

  Keys:    site(site_id), site_admins(site_id)
  Effects: sites(), public_key(*), secret_key(*), user_sites(*)
  Input:   site_id string, name string, domain string, public string, secret_digest string, settings string,
           admin_id string?, created_at string, now integer
  Output:  nothing
  Errors:  conflict
]]
if redis.call('EXISTS', key.site(site_id)) == 1 then return refuse('conflict') end
redis.call('HSET', key.site(site_id), 'id', site_id, 'name', name, 'domain', domain, 'api_key_public', public,
  'api_key_secret', secret_digest, 'settings', settings, 'created_at', created_at)
if admin_id then
  redis.call('SADD', key.site_admins(site_id), admin_id)
  emit('SADD', key.user_sites(admin_id), site_id)
end
emit('SET', key.public_key(public), site_id)
emit('SET', key.secret_key(secret_digest), site_id)
emit('ZADD', key.sites(), now, site_id)
