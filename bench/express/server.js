// The social endpoints as the seed describes them: commands one after the other, pipelined where they can be.
"use strict";

const crypto = require("node:crypto");
const express = require("express");
const Redis = require("ioredis");

const redis = new Redis({ path: process.env.BENCH_SOCKET, db: Number(process.env.BENCH_DB || 0) });
const app = express();
app.disable("x-powered-by");
app.set("etag", false);
app.use(express.json());

const PUBLIC = ["username", "display_name", "bio", "avatar", "links", "role", "postCount", "followerCount",
  "followingCount", "created_at"];
const HASHTAG = /#(\w+)/gu;

const values = (replies) => replies.map(([error, value]) => {
  if (error) throw error;
  return value;
});
const who = (request) => (request.get("authorization") || "").replace(/^Bearer /, "");
const hashtags = (content) => [...new Set([...content.matchAll(HASHTAG)].map((found) => found[1].toLowerCase()))];
const publicFields = (fields) => Object.fromEntries(PUBLIC.map((name, place) => [name, fields[place]]));

function score(post, now) {
  const weight = post.likesCount * 3 + post.commentsCount * 5 + post.bookmarksCount * 4;
  return weight / ((now - post.created_at) / 3600000 + 1);
}

async function hydrate(ids, viewer) {
  const reads = redis.pipeline();
  for (const id of ids) {
    reads.hgetall(`post:${id}`).sismember(`post:${id}:likes`, viewer).sismember(`post:${id}:bookmarks`, viewer);
  }
  const found = values(await reads.exec());
  const posts = ids.map((_, place) => found.slice(place * 3, place * 3 + 3)).filter(([post]) => post.id && post.banned !== "true");
  const names = [...new Set(posts.map(([post]) => post.user_id))];
  const people = redis.pipeline();
  for (const name of names) people.hmget(`user:${name}`, PUBLIC);
  const profiles = values(await people.exec()).map(publicFields);
  const authors = new Map(names.map((name, place) => [name, profiles[place]]));
  return posts.map(([post, liked, bookmarked]) => ({
    post, isLiked: liked === 1, isBookmarked: bookmarked === 1, author: authors.get(post.user_id),
  }));
}

app.post("/social/posts/:id/like", async (request, response) => {
  const id = request.params.id;
  const post = await redis.hgetall(`post:${id}`);
  if (!post.id || post.banned === "true") return response.status(404).json({ error: "no such post" });
  const changed = await redis.sadd(`post:${id}:likes`, who(request));
  if (!changed) return response.json({ changed: false, count: Number(post.likesCount) });
  post.likesCount = await redis.hincrby(`post:${id}`, "likesCount", 1);
  const writes = redis.pipeline();
  for (const tag of hashtags(post.content)) writes.zadd(`hashtag:${tag}:ranked`, score(post, Date.now()), id);
  if (post.user_role === "model") writes.zincrby("models:top:engagement", 3, post.user_id);
  values(await writes.exec());
  response.json({ changed: true, count: post.likesCount });
});

app.post("/social/posts", async (request, response) => {
  const name = who(request);
  const [role, display, avatar] = await redis.hmget(`user:${name}`, "role", "display_name", "avatar");
  const id = crypto.randomUUID();
  const now = Date.now();
  const post = {
    id, user_id: name, content: request.body.content, created_at: now, username: name, display_name: display || "",
    avatar: avatar || "", user_role: role || "user", likesCount: 0, commentsCount: 0, bookmarksCount: 0,
  };
  const writes = redis.pipeline();
  writes.hset(`post:${id}`, post).zadd("explore:feed", now, id).zadd(`user:${name}:posts`, now, id);
  for (const tag of hashtags(post.content)) writes.zadd(`hashtag:${tag}:posts`, now, id).zadd(`hashtag:${tag}:ranked`, 0, id);
  writes.hincrby(`user:${name}`, "postCount", 1);
  values(await writes.exec());
  response.status(201).json(post);
});

// With BENCH_KEEP_MS a page is kept in memory for so long, the same for everybody, as the original does.
const KEEP_MS = Number(process.env.BENCH_KEEP_MS || 0);
const kept = new Map();

async function page(name, readIds, viewer) {
  if (!KEEP_MS) return JSON.stringify({ items: await hydrate(await readIds(), viewer) });
  const known = kept.get(name);
  if (known && Date.now() - known.at < KEEP_MS) return known.body;
  const body = JSON.stringify({ items: await hydrate(await readIds(), "") });
  kept.set(name, { at: Date.now(), body });
  return body;
}

app.get("/social/feed/explore", async (request, response) => {
  const ids = () => redis.zrevrange("explore:feed", 0, 19);
  response.type("json").send(await page("explore", ids, who(request)));
});

app.get("/social/feed/hashtag/:tag/ranked", async (request, response) => {
  const tag = request.params.tag;
  const ids = () => redis.zrevrange(`hashtag:${tag}:ranked`, 0, 19);
  response.type("json").send(await page(`ranked:${tag}`, ids, who(request)));
});

app.get("/social/feed/following", async (request, response) => {
  const name = who(request);
  const followed = await redis.smembers(`user:${name}:following`);
  const feed = `tmp:home:${name}`;
  const steps = redis.pipeline();
  steps.zunionstore(feed, followed.length, followed.map((other) => `user:${other}:posts`), "AGGREGATE", "MAX");
  steps.expire(feed, 60).zrevrange(feed, 0, 19);
  const ids = values(await steps.exec())[2];
  response.json({ items: await hydrate(ids, name) });
});

app.get("/social/users/:username", async (request, response) => {
  const name = request.params.username;
  const reads = redis.pipeline().hmget(`user:${name}`, PUBLIC).sismember(`user:${who(request)}:following`, name);
  const [fields, following] = values(await reads.exec());
  if (!fields[0]) return response.status(404).json({ error: "no such user" });
  response.json({ ...publicFields(fields), isFollowing: following === 1 });
});

app.get("/", (request, response) => response.json({ ready: true }));

app.listen(Number(process.env.BENCH_PORT), "127.0.0.1");
