// Plain JavaScript, so that a Node too old for the TypeScript of this folder can still say so.
const { platform, arch, versions } = process
const [major, minor] = versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18) || major === 23) {
  // The folders of dev/node.
  const bundled = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'].includes(`${platform}-${arch}`)
  const remedy = bundled
    ? 'Run "npm install" (without --omit=optional), which brings a suitable Node along.'
    : `npm has no Node for ${platform}-${arch}: install Node 24 from https://nodejs.org or with a version manager ("nvm install 24").`
  console.error(`Node ${versions.node} does not suit: this project needs Node 22.18 or newer, but not 23. ${remedy}`)
  process.exit(1)
}
