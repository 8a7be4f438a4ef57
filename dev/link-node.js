// Runs after every installation, on any Node. Of several packages that offer the same command, npm 10 links the first by name,
// even when that one is for another platform and was left out. So this links the Node that dev/node brought, unless npm did.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'

const wrapper = `node_modules/bundled-node-${process.platform}-${process.arch}/package.json`
const link = process.platform === 'win32' ? 'node_modules/.bin/node.cmd' : 'node_modules/.bin/node'

if (!existsSync(link)) {
  rmSync(link, { force: true })
  if (existsSync(wrapper)) {
    const [bundled] = Object.keys(JSON.parse(readFileSync(wrapper, 'utf8')).dependencies)
    mkdirSync('node_modules/.bin', { recursive: true })
    if (process.platform === 'win32') writeFileSync(link, `@"%~dp0..\\${bundled}\\bin\\node.exe" %*\r\n`)
    else symlinkSync(`../${bundled}/bin/node`, link)
  }
}
