// miniflare loads sharp on the first use of an Images binding, and wrangler.toml has none.
throw new Error(
  'An Images binding needs the real sharp: remove "sharp" from devDependencies and overrides in package.json, then run "npm install".',
)
