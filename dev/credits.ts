import { connectAsOwner, ownerUrl } from './owner.ts'
import { program } from './program.ts'
import { Complaint } from './settings.ts'

const USAGE = `Usage: npm run credits -- <workspace id> <credits> "<reference>"

Adds credits to a workspace, in the database of DATABASE_ADMIN_URL or that of "npm run dev". A reference counts once.`
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MOST = 1_000_000_000

/** Adds credits to a workspace. A reference, such as the number of a payment, counts once, so that a repeated command adds nothing. */
await program(import.meta, { usage: USAGE, words: true }, async (_, [workspace = '', credits, reference, ...rest]) => {
  if (!ID.test(workspace) || !reference?.trim() || rest.length > 0) throw new Complaint(USAGE)
  if (!/^\d+$/.test(credits ?? '') || Number(credits) < 1 || Number(credits) > MOST)
    throw new Complaint(`The number of credits must be a whole number from 1 to ${MOST}.\n${USAGE}`)
  const client = await connectAsOwner(ownerUrl())
  try {
    const { rowCount } = await client.query('select from workspaces where id = $1', [workspace])
    if (!rowCount) throw new Complaint(`There is no workspace ${workspace}.`)
    const { rows } = await client.query('select grant_credits($1, $2, $3) as balance', [workspace, Number(credits), reference.trim()])
    console.log(`balance  ${rows[0].balance}`)
  } finally {
    await client.end()
  }
})
