import type { EmailEmulator, SentEmail } from '../email-emulator.ts'
import { reportOf } from '../email-reports.ts'
import { replyTo } from '../inbound-mail.ts'
import type { EmailAction, LocalEmail } from './emails.ts'
import { deliver, type Post, Refusal, textIn } from './web.ts'

type Surroundings = {
  emulator: EmailEmulator
  post: Post
  /** Where the provider reports what happens to messages. */
  eventsUrl: string
  /** Where emails are received; undefined while no workspace has an inbox. */
  inboundUrl: () => string | undefined
}

const headerOf = ({ Headers = [] }: SentEmail, name: string) => Headers.find(({ Name }) => Name.toLowerCase() === name)?.Value

/** The addresses that an email links to, each once. */
function linksIn({ HtmlBody = '', TextBody = '' }: SentEmail): string[] {
  const ofHtml = [...HtmlBody.matchAll(/\bhref\s*=\s*["'](https?:[^"']+)["']/gi)].map(([, link]) =>
    (link as string).replaceAll('&amp;', '&'),
  )
  const ofText = [...TextBody.matchAll(/https?:\/\/[^\s<>"]+/g)].map(([link]) => link.replace(/[.,;)]+$/, ''))
  return [...new Set([...ofHtml, ...ofText])]
}

const campaignOf = ({ MessageStream, Metadata }: SentEmail): string | null =>
  MessageStream === 'broadcast' ? String(Metadata?.campaign_id ?? '') : null

/** The address for RFC 8058: one request to it ends the subscription. */
const unsubscribeUrl = (sent: SentEmail) => /<(https?:[^>]+)>/.exec(headerOf(sent, 'list-unsubscribe') ?? '')?.[1]

function headersOf(sent: SentEmail): [string, string][] {
  const { Headers = [], Metadata = {}, MessageStream = 'outbound', Tag = '' } = sent
  const own = ['From', 'To', 'Cc', 'Bcc', 'ReplyTo', 'Subject'] as const
  const headers: [string, string][] = [
    ...own.map((name): [string, string] => [name === 'ReplyTo' ? 'Reply-To' : name, String(sent[name] ?? '')]),
    ...Headers.map(({ Name, Value }): [string, string] => [Name, Value]),
    ...Object.entries({ MessageStream, Tag, ...Metadata }).map(([name, value]): [string, string] => [`Postmark ${name}`, String(value)]),
  ]
  return headers.filter(([, value]) => value !== '')
}

const filesOf = ({ Attachments = [] }: SentEmail) =>
  Attachments.map(({ Name, ContentType, Content }) => ({ name: Name, type: ContentType, content: () => Buffer.from(Content, 'base64') }))

/** The emails that Postmark has sent, and what their recipients and Postmark do with them. */
export function postmarkEmails({ emulator, post, eventsUrl, inboundUrl }: Surroundings): () => LocalEmail[] {
  const report = (sent: SentEmail, type: Parameters<typeof reportOf>[1], more: object = {}) =>
    deliver(post, eventsUrl, JSON.stringify({ ...reportOf(sent, type), ...more }))

  const actionsOf = (sent: SentEmail): Record<string, EmailAction> => {
    const unsubscribeAt = unsubscribeUrl(sent)
    return {
      async reply(body) {
        const text = textIn(body, 'text')
        const url = inboundUrl()
        if (!url)
          throw new Refusal(409, 'No workspace has an inbox: start the API with "npm run dev", which makes one for the demo workspace')
        await deliver(post, url, JSON.stringify(replyTo(sent, { text })))
        return ['replied', text]
      },
      async open() {
        if (sent.TrackOpens === false) throw new Refusal(409, 'Opens of this email are not tracked: campaign_open_tracking in the settings')
        await report(sent, 'Open')
        return ['opened']
      },
      async click(body) {
        const link = textIn(body, 'link')
        if (!linksIn(sent).includes(link)) throw new Refusal(400, 'The email has no such link')
        if (sent.TrackLinks === 'None')
          throw new Refusal(409, 'Links of this email are not tracked: campaign_click_tracking in the settings')
        await report(sent, 'Click', { OriginalLink: link })
        return ['clicked', link]
      },
      async bounce(body) {
        const type = body.type === 'SoftBounce' ? 'SoftBounce' : 'HardBounce'
        await report(sent, type)
        return ['bounced', type === 'HardBounce' ? 'The address does not exist' : 'The mailbox is full']
      },
      async complain() {
        await report(sent, 'SpamComplaint')
        return ['complained']
      },
      ...(unsubscribeAt && {
        async unsubscribe() {
          await deliver(post, unsubscribeAt, 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded')
          return ['unsubscribed']
        },
      }),
    }
  }

  return () =>
    emulator.sent.map((sent) => ({
      id: sent.MessageID,
      at: sent.SubmittedAt,
      from: sent.From ?? '',
      to: sent.To ?? '',
      subject: sent.Subject ?? '',
      mailbox: null,
      campaign: campaignOf(sent),
      text: () => sent.TextBody ?? '',
      html: () => sent.HtmlBody ?? '',
      headers: () => headersOf(sent),
      files: () => filesOf(sent),
      links: () => linksIn(sent),
      actions: () => actionsOf(sent),
    }))
}
