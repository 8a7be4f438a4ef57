import { PAYMENT_KINDS } from '../../src/features/agency/rules/agency.ts'
import { toUtcText } from '../../src/lib/text.ts'
import { connectAsOwner, ownerUrl } from '../owner.ts'
import { program } from '../program.ts'
import { Complaint } from '../settings.ts'
import { type ClientLink, inHundredths, linkClient, MOST_CENTS, recordPayment, recordRefund, unlinkClient } from './agency.ts'

const USAGE = `Usage: npm run agency:payments -- link <agency> <client> [--brought-in-by ana@example.com] [--template]
           [--plan growth] [--trial-ends 2026-12-31T00:00:00Z]
       npm run agency:payments -- unlink <agency> <client>
       npm run agency:payments -- payment <agency> <client> --kind subscription --amount 99.90 --currency AUD
           --reference "Invoice 7" [--at 2026-11-20T08:31:06Z]
       npm run agency:payments -- refund <agency> "Invoice 7" --amount 10 --reference "Refund 1" [--at 2026-11-21T08:31:06Z]

Links the workspaces of clients to an agency, and records what they pay and what is refunded, in the database of DATABASE_ADMIN_URL
or that of "npm run dev". A reference counts once, so that a repeated command changes nothing.`

const OPTIONS = {
  'brought-in-by': { type: 'string' },
  template: { type: 'boolean' },
  plan: { type: 'string' },
  'trial-ends': { type: 'string' },
  kind: { type: 'string' },
  amount: { type: 'string' },
  currency: { type: 'string' },
  reference: { type: 'string' },
  at: { type: 'string' },
} as const
type Options = {
  'brought-in-by'?: string
  template?: boolean
  plan?: string
  'trial-ends'?: string
  kind?: string
  amount?: string
  currency?: string
  reference?: string
  at?: string
}

function instantIn(option: string, text: string): string {
  const instant = toUtcText(text)
  if (instant === undefined) throw new Complaint(`--${option} is a time with its zone, such as 2026-11-20T08:31:06Z.`)
  return instant
}

function centsIn(text: string | undefined): number {
  const cents = inHundredths(text ?? '')
  if (!cents || cents > MOST_CENTS) throw new Complaint('--amount is more than 0 and has at most two decimals, such as 99.90.')
  return cents
}

function referenceIn({ reference }: Options): string {
  const text = reference?.trim()
  if (!text || text.length > 200) throw new Complaint('--reference has 1 to 200 characters: what the biller calls the payment or refund.')
  return text
}

function linkIn(options: Options): ClientLink {
  const trial = options['trial-ends']
  return {
    ...(options['brought-in-by'] && { brought_in_by: options['brought-in-by'] }),
    ...(options.template && { is_template: true }),
    ...(options.plan && { plan: options.plan.slice(0, 120) }),
    ...(trial && { trial_ends_at: instantIn('trial-ends', trial) }),
  }
}

const isKind = (kind: string | undefined): kind is (typeof PAYMENT_KINDS)[number] => PAYMENT_KINDS.some((known) => known === kind)

await program(import.meta, { usage: USAGE, options: OPTIONS, words: true }, async (options: Options, [verb, agency, other, ...rest]) => {
  if (!agency || !other || rest.length > 0) throw new Complaint(USAGE)
  const at = options.at ? instantIn('at', options.at) : new Date().toISOString()
  const client = await connectAsOwner(ownerUrl())
  try {
    if (verb === 'link') {
      await linkClient(client, agency, other, linkIn(options))
      console.log(`linked   ${other}`)
    } else if (verb === 'unlink') {
      await unlinkClient(client, agency, other)
      console.log(`ended    ${other}`)
    } else if (verb === 'payment') {
      const { kind, currency = 'AUD' } = options
      if (!isKind(kind)) throw new Complaint(`--kind is one of ${PAYMENT_KINDS.join(', ')}.`)
      const row = { client_id: other, kind, paid_at: at, amount_cents: centsIn(options.amount), currency, reference: referenceIn(options) }
      console.log(`payment  ${await recordPayment(client, agency, row)}`)
    } else if (verb === 'refund') {
      const row = { payment_reference: other, refunded_at: at, amount_cents: centsIn(options.amount), reference: referenceIn(options) }
      console.log(`refund   ${await recordRefund(client, agency, row)}`)
    } else throw new Complaint(USAGE)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // What the database refuses, and an id that is none.
    if (code === 'WK000' || code === '22P02') throw new Complaint(message)
    throw error
  } finally {
    await client.end()
  }
})
