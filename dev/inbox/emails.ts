import type { EmailEmulator, SentEmail } from '../email-emulator.ts'
import { reportOf } from '../email-reports.ts'
import { replyTo } from '../inbound-mail.ts'
import { type Body, deliver, type Post, Refusal, textIn } from './web.ts'

const PAGE = 50
const PREVIEW = 140

/** What happened to an email after it was sent. */
export type EmailAct = { kind: string; at: string; detail: string }
type Surroundings = {
  emulator: EmailEmulator
  post: Post
  /** Where the provider reports what happens to messages. */
  eventsUrl: string
  /** Where emails are received; undefined while no workspace has an inbox. */
  inboundUrl: () => string | undefined
}

const plain = (html: string) =>
  html
    .replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
const textOf = ({ TextBody, HtmlBody }: SentEmail) => TextBody || plain(HtmlBody ?? '')
const headerOf = ({ Headers = [] }: SentEmail, name: string) => Headers.find(({ Name }) => Name.toLowerCase() === name)?.Value

/** The addresses that an email links to, each once. */
export function linksIn({ HtmlBody = '', TextBody = '' }: SentEmail): string[] {
  const ofHtml = [...HtmlBody.matchAll(/\bhref\s*=\s*["'](https?:[^"']+)["']/gi)].map(([, link]) =>
    (link as string).replaceAll('&amp;', '&'),
  )
  const ofText = [...TextBody.matchAll(/https?:\/\/[^\s<>"]+/g)].map(([link]) => link.replace(/[.,;)]+$/, ''))
  return [...new Set([...ofHtml, ...ofText])]
}

/** The address for RFC 8058: one request to it ends the subscription. */
const unsubscribeUrl = (sent: SentEmail) => /<(https?:[^>]+)>/.exec(headerOf(sent, 'list-unsubscribe') ?? '')?.[1]

/** The emails that were sent, and what their recipients and the provider do with them. */
export function emailsOf({ emulator, post, eventsUrl, inboundUrl }: Surroundings) {
  const acts = new Map<string, EmailAct[]>()
  const find = (id: string) => {
    const sent = emulator.sent.find(({ MessageID }) => MessageID === id)
    if (!sent) throw new Refusal(404, 'The emulator has no such email: it was started again since')
    return sent
  }
  const remember = (sent: SentEmail, kind: string, detail = '') =>
    acts.set(sent.MessageID, [...(acts.get(sent.MessageID) ?? []), { kind, at: new Date().toISOString(), detail }])
  const report = (sent: SentEmail, type: Parameters<typeof reportOf>[1], more: object = {}) =>
    deliver(post, eventsUrl, JSON.stringify({ ...reportOf(sent, type), ...more }))

  const ACTIONS: Record<string, (sent: SentEmail, body: Body) => Promise<unknown>> = {
    async reply(sent, body) {
      const text = textIn(body, 'text')
      const url = inboundUrl()
      if (!url)
        throw new Refusal(409, 'No workspace has an inbox: start the API with "npm run dev", which makes one for the demo workspace')
      await deliver(post, url, JSON.stringify(replyTo(sent, { text })))
      remember(sent, 'replied', text)
    },
    async open(sent) {
      if (sent.TrackOpens === false) throw new Refusal(409, 'Opens of this email are not tracked: campaign_open_tracking in the settings')
      await report(sent, 'Open')
      remember(sent, 'opened')
    },
    async click(sent, body) {
      const link = textIn(body, 'link')
      if (!linksIn(sent).includes(link)) throw new Refusal(400, 'The email has no such link')
      if (sent.TrackLinks === 'None') throw new Refusal(409, 'Links of this email are not tracked: campaign_click_tracking in the settings')
      await report(sent, 'Click', { OriginalLink: link })
      remember(sent, 'clicked', link)
    },
    async bounce(sent, body) {
      const type = body.type === 'SoftBounce' ? 'SoftBounce' : 'HardBounce'
      await report(sent, type)
      remember(sent, 'bounced', type === 'HardBounce' ? 'The address does not exist' : 'The mailbox is full')
    },
    async complain(sent) {
      await report(sent, 'SpamComplaint')
      remember(sent, 'complained')
    },
    async unsubscribe(sent) {
      const url = unsubscribeUrl(sent)
      if (!url) throw new Refusal(409, 'This email has no List-Unsubscribe header: only those of campaigns have one')
      await deliver(post, url, 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded')
      remember(sent, 'unsubscribed')
    },
  }

  const summaryOf = (sent: SentEmail) => ({
    ...{ id: sent.MessageID, at: sent.SubmittedAt, from: sent.From ?? '', to: sent.To ?? '', subject: sent.Subject ?? '' },
    ...{ preview: textOf(sent).slice(0, PREVIEW), is_campaign: sent.MessageStream === 'broadcast' },
    ...{ attachments: sent.Attachments?.length ?? 0, acts: (acts.get(sent.MessageID) ?? []).map(({ kind }) => kind) },
  })

  return {
    acts,
    /** A page of the newest emails, those after the one with the id `after`; `search` is looked for in addresses and subjects. */
    list(search: string, after: string) {
      const words = search.toLowerCase()
      const matches = ({ To = '', From = '', Subject = '' }: SentEmail) => `${To} ${From} ${Subject}`.toLowerCase().includes(words)
      const found = emulator.sent.filter(matches).reverse()
      const start = after ? found.findIndex(({ MessageID }) => MessageID === after) + 1 : 0
      const page = found.slice(start, start + PAGE)
      return { total: found.length, emails: page.map(summaryOf), next: start + PAGE < found.length ? page.at(-1)?.MessageID : null }
    },
    show(id: string) {
      const sent = find(id)
      const { Cc = '', Bcc = '', ReplyTo = '', Headers = [], Attachments = [], Metadata = {}, MessageStream = 'outbound', Tag = '' } = sent
      const headers = [
        ...['From', 'To', 'Cc', 'Bcc', 'ReplyTo', 'Subject'].map((name) => [
          name === 'ReplyTo' ? 'Reply-To' : name,
          String(sent[name] ?? ''),
        ]),
        ...Headers.map(({ Name, Value }) => [Name, Value]),
        ...Object.entries({ MessageStream, Tag, ...Metadata }).map(([name, value]) => [`Postmark ${name}`, String(value)]),
      ].filter(([, value]) => value !== '')
      return {
        ...summaryOf(sent),
        ...{ cc: Cc, bcc: Bcc, reply_to: ReplyTo, has_html: Boolean(sent.HtmlBody), text: sent.TextBody ?? '', headers },
        ...{ source: sent.HtmlBody ?? '', links: linksIn(sent), can_unsubscribe: unsubscribeUrl(sent) !== undefined },
        attachments: Attachments.map(({ Name, ContentType, Content }) => {
          const bytes = Buffer.from(Content, 'base64')
          const is_calendar = /^text\/calendar\b/i.test(ContentType) || /\.ics$/i.test(Name)
          return {
            name: Name,
            type: ContentType,
            size: bytes.length,
            calendar: is_calendar ? bytes.toString('utf8').slice(0, 20_000) : null,
          }
        }),
        acts: acts.get(id) ?? [],
      }
    },
    html: (id: string) => find(id).HtmlBody ?? '',
    attachment(id: string, index: number) {
      const file = find(id).Attachments?.[index]
      if (!file) throw new Refusal(404, 'The email has no such attachment')
      return { name: file.Name, content: Buffer.from(file.Content, 'base64') }
    },
    async act(id: string, action: string, body: Body) {
      const sent = find(id)
      const act = ACTIONS[action]
      if (!act) throw new Refusal(404, `The actions are ${Object.keys(ACTIONS).join(', ')}`)
      await act(sent, body)
    },
  }
}
