// vite loads lightningcss when it transforms or minifies CSS, which no test imports.
throw new Error(
  'Stylesheets in tests need the real lightningcss: remove "lightningcss" from devDependencies and overrides in package.json, then run "npm install".',
)
