// Plain JavaScript, so that a Node too old for the TypeScript of this folder can still say so.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Node ${process.versions.node} is too old: run "npm install", which brings Node 24 along where it can, or install Node 22.18 or newer.`,
  )
  process.exit(1)
}
