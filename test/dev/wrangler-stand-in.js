// Answers like wrangler, for an account that is a JSON file (ACCOUNT): { secrets, queues, buckets, fail?, calls }.
import { readFileSync, writeFileSync } from 'node:fs'

const file = process.env.ACCOUNT
const account = JSON.parse(readFileSync(file, 'utf8'))
const args = process.argv.slice(2)
const command = args.join(' ')
const input = readFileSync(0, 'utf8')
account.calls.push({ args, input, env: Object.keys(process.env) })

let failure
function createIn(list, name, taken) {
  if (list.includes(name)) failure = taken
  else list.push(name)
}

if (account.fail && command.startsWith(account.fail.command)) failure = account.fail.message
else if (command.startsWith('secret list')) {
  if (account.secrets) console.log(JSON.stringify(Object.keys(account.secrets).map((name) => ({ name, type: 'secret_text' }))))
  else failure = 'Worker "workspace-crm" not found. [code: 10007]'
} else if (command.startsWith('queues create'))
  createIn(account.queues, args[2], `Queue name '${args[2]}' is already taken. Please use a different name and try again. [code: 11009]`)
else if (command.startsWith('r2 bucket create'))
  createIn(account.buckets, args[3], 'The bucket you tried to create already exists, and you own it. [code: 10004]')
else if (command === 'secret bulk') account.secrets = { ...account.secrets, ...JSON.parse(input) }
else failure = `Unknown command: ${command}`

writeFileSync(file, JSON.stringify(account))
if (failure) {
  console.error(`✘ [ERROR] ${failure}`)
  process.exit(1)
}
