import { Complaint } from '../settings.ts'
import type { Body } from './api.ts'
import type { Stage } from './messaging.ts'

const BULK = 100
/** Of so many contacts one has no address, has unsubscribed, or shares the address of another. */
const [WITHOUT, UNSUBSCRIBED, SHARED] = [25, 40, 30]
const BODY =
  '<h1>Spring offers</h1><p>Dear {{first_name | reader}}, <a href="https://example.com/spring">see what is new</a>.</p><p><a ' +
  'href="{{unsubscribe_url}}">Unsubscribe</a></p>'

function contactOf(n: number, unique: string, tag: string): object {
  const owner = n % SHARED === 3 ? n - 1 : n
  return {
    first_name: `Reader ${n}`,
    tags: [{ name: tag }],
    ...(n % WITHOUT !== 0 && { email: `reader-${owner}-${unique}@example.com` }),
    ...(n % UNSUBSCRIBED === 1 && { email_unsubscribed: true }),
  }
}

/** Sends a campaign while the provider fails, and compares the recipients with what has arrived. */
export async function demonstrateCampaign(stage: Stage, size: number): Promise<void> {
  const { api, quiet, inbox, say, print, undo, unique } = stage
  const tag = `Demo ${unique}`
  print(`\n5. A campaign to ${size} contacts, whose provider fails in the middle`)
  for (let n = 0; n < size; n += BULK) {
    const records = Array.from({ length: Math.min(BULK, size - n) }, (_, at) => contactOf(n + at, unique, tag))
    const { results, errors } = (await quiet('POST', '/contacts/bulk-create', { records, skip_automations: true })).data
    if (errors.length > 0) throw new Complaint(`A contact was refused: ${JSON.stringify(errors[0])}`)
    undo.push(() => quiet('POST', '/contacts/bulk-delete', { ids: results.map(({ id }: Body) => id) }))
  }
  await quiet('POST', '/suppressions', { channel: 'email', address: `reader-2-${unique}@example.com`, reason: 'hard_bounce' })
  const sender = { from_email_handle: `news-${unique}`, from_name: 'Harbour Renovations', staff_email: 'team@example.com' }
  const { id: config_id } = (await api('POST', '/email/configs', sender)).data
  undo.push(() => quiet('DELETE', `/email/configs/${config_id}`))
  const subject = `Spring offers ${unique}`
  const campaign = { name: `Spring ${unique}`, subject, body_html: BODY, config_id, segment_filter: { tags: [tag] } }
  const { id } = (await api('POST', '/email-campaigns', campaign)).data
  const { ready } = (await api('GET', `/email-campaigns/${id}/preflight`)).data
  const preview = (await api('GET', `/email-campaigns/${id}/preview-audience`)).data
  say(`ready: ${ready}; of ${preview.total} contacts ${preview.recipients} would get it, the others not: ${reasonsOf(preview.skipped)}`)

  const { campaign_open_tracking, campaign_click_tracking } = (await quiet('GET', '/company/crm-settings')).data
  undo.push(() => quiet('PATCH', '/company/crm-settings', { campaign_open_tracking, campaign_click_tracking }))
  await api('PATCH', '/company/crm-settings', { campaign_open_tracking: true, campaign_click_tracking: true })
  for (const value of ['slow', 'partial', '503']) await inbox.act('faults/email/calls', { value, times: 1 })
  say('the first call of the provider will be slow, the second one accepts half of its batch and breaks off, the third one is refused')
  await api('POST', `/email-campaigns/${id}/send`)
  await watch(stage, id)
  await readers(stage, subject, id)
  await reconcile(stage, id, subject, size)
}

const reasonsOf = (skipped: Record<string, number>) =>
  Object.entries(skipped)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ') || 'nobody'

/** Prints the progress as it changes, until the campaign has ended. */
async function watch({ quiet, say, until }: Stage, id: string): Promise<void> {
  let shown = ''
  await until('the end of the campaign', async () => {
    const { status, stats } = (await quiet('GET', `/email-campaigns/${id}`)).data
    const handed = stats.recipients - stats.queued - stats.failed
    const line = `${status}: ${handed} of ${stats.recipients} handed over, ${stats.delivered} of them delivered, ${stats.failed} failed`
    if (line !== shown) say(line)
    shown = line
    return status !== 'sending'
  })
}

/** Some of the recipients read the email, others refuse it. */
async function readers({ inbox, quiet, say, print, until }: Stage, subject: string, id: string): Promise<void> {
  print('\n6. What readers do, in the inbox')
  const [first, second, third, fourth] = await inbox.emails(subject)
  await inbox.act(`emails/${first.id}/open`)
  await inbox.act(`emails/${second.id}/click`, { link: 'https://example.com/spring' })
  await inbox.act(`emails/${third.id}/bounce`, { type: 'HardBounce' })
  await inbox.act(`emails/${fourth.id}/unsubscribe`)
  const stats = async (): Promise<Body> => (await quiet('GET', `/email-campaigns/${id}`)).data.stats
  await until('the reports of the provider', async () => {
    const { opened, clicked, bounced, unsubscribed } = await stats()
    return opened > 0 && clicked > 0 && bounced > 0 && unsubscribed > 0
  })
  const { opened, clicked, bounced, unsubscribed } = await stats()
  say(`the API reports ${opened} opened, ${clicked} clicked, ${bounced} bounced, ${unsubscribed} unsubscribed`)
  const links: Body[] = (await quiet('GET', `/email-campaigns/${id}/links`)).data
  say(`links that were followed: ${links.map(({ url, recipients }) => `${url} by ${recipients}`).join(', ')}`)
}

/** Audience = sent + skipped by reason, and nobody got it twice. */
async function reconcile({ inbox, quiet, say, print }: Stage, id: string, subject: string, size: number): Promise<void> {
  print('\n7. Reconciliation')
  const { stats } = (await quiet('GET', `/email-campaigns/${id}`)).data
  const recipients: Body[] = []
  for (let after: string | null = ''; after !== null; ) {
    const found: Body = await quiet('GET', `/email-campaigns/${id}/recipients?limit=100${after && `&after=${after}`}`)
    recipients.push(...found.data)
    after = found.page.next
  }
  const arrived = (await inbox.emails(subject)).map(({ to }) => to as string)
  const skipped = Object.values(stats.skipped as Record<string, number>).reduce((sum, count) => sum + count, 0)
  const missing = recipients.filter(({ email }) => !arrived.includes(email)).length
  say(`audience ${stats.audience} = ${recipients.length} sent + ${skipped} skipped (${reasonsOf(stats.skipped)})`)
  say(
    `the provider has ${arrived.length} emails to ${new Set(arrived).size} addresses: ${arrived.length - new Set(arrived).size} ` +
      `twice, ${missing} missing`,
  )
  const isRight = stats.audience === size && recipients.length + skipped === size
  if (
    !isRight ||
    missing > 0 ||
    arrived.length !== recipients.length ||
    new Set(arrived).size !== arrived.length ||
    stats.queued + stats.failed > 0
  )
    throw new Complaint('The reconciliation failed: see the lines above')
  say('nobody was left out without a reason, and nobody got it twice')
}
