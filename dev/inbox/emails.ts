import { type Body, Refusal } from './web.ts'
import type { EmailAct, EmailEnvelope, EmailKind, EmailPage, EmailSummary, ShownEmail } from './wire.ts'

const PAGE = 50
const PREVIEW = 140
const MAX_CALENDAR = 20_000

/** Does something with an email, and says what has happened to it. */
export type EmailAction = (body: Body) => Promise<[kind: string, detail?: string]>
export type EmailFile = { name: string; type: string; content: () => Buffer }

/** An email that was sent, whichever provider has sent it. What is only shown when the email is opened is read then. */
export interface LocalEmail extends EmailEnvelope {
  campaign: string | null
  text(): string
  html(): string
  headers(): [name: string, value: string][]
  files(): EmailFile[]
  /** The addresses that a click can be reported for. */
  links(): string[]
  /** What the people and the provider on the other side can do. */
  actions(): Record<string, EmailAction>
}

type Wanted = { search: string; kind: EmailKind; campaign: string; after: string }

const KINDS: Record<EmailKind, (email: LocalEmail) => boolean> = {
  all: () => true,
  single: ({ campaign, mailbox }) => campaign === null && mailbox === null,
  campaign: ({ campaign }) => campaign !== null,
  mailbox: ({ mailbox }) => mailbox !== null,
}

/** The newest email of each campaign, with how many others it stands for, and every other email. */
function grouped(emails: LocalEmail[]): { email: LocalEmail; more: number }[] {
  const entries: { email: LocalEmail; more: number }[] = []
  const byCampaign = new Map<string, { email: LocalEmail; more: number }>()
  for (const email of emails) {
    const first = email.campaign === null ? undefined : byCampaign.get(email.campaign)
    if (first) first.more++
    else {
      const entry = { email, more: 0 }
      entries.push(entry)
      if (email.campaign !== null) byCampaign.set(email.campaign, entry)
    }
  }
  return entries
}

const plain = (html: string) =>
  html
    .replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const isCalendar = ({ name, type }: EmailFile) => /^text\/calendar\b/i.test(type) || /\.ics$/i.test(name)

/** The emails of several providers, each oldest first, and what has happened to them. */
export function emailsOf(providers: (() => LocalEmail[])[]) {
  const acts = new Map<string, EmailAct[]>()
  /** The emails that were cleared away: the providers still know them. */
  const cleared = new Set<string>()
  const shown = () => providers.flatMap((emails) => emails()).filter(({ id }) => !cleared.has(id))
  const all = () => shown().toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  const find = (id: string) => {
    for (const emails of providers) {
      const found = emails().find((one) => one.id === id)
      if (found) return found
    }
    throw new Refusal(404, 'The emulator has no such email: it was started again since')
  }
  const summaryOf = (email: LocalEmail): Omit<EmailSummary, 'more'> => {
    const { id, at, from, to, subject, mailbox, campaign } = email
    return {
      id,
      at,
      from,
      to,
      subject,
      mailbox,
      campaign,
      preview: (email.text() || plain(email.html())).slice(0, PREVIEW),
      attachments: email.files().length,
      acts: (acts.get(id) ?? []).map(({ kind }) => kind),
    }
  }

  return {
    acts,
    count: () => shown().length,
    clear() {
      for (const { id } of shown()) cleared.add(id)
    },
    /**
     * A page of the newest emails of a kind, those after the one with the id `after`; `search` is looked for in addresses and subjects.
     * The emails of a campaign are one entry, unless it is the campaign that is listed.
     */
    list({ search, kind, campaign, after }: Wanted): EmailPage {
      const words = search.toLowerCase()
      const found = all()
        .filter((email) => KINDS[kind](email) && (campaign === '' || email.campaign === campaign))
        .filter(({ to, from, subject, mailbox }) => `${to} ${from} ${subject} ${mailbox ?? ''}`.toLowerCase().includes(words))
        .reverse()
      const entries = campaign === '' ? grouped(found) : found.map((email) => ({ email, more: 0 }))
      const start = after ? entries.findIndex(({ email }) => email.id === after) + 1 : 0
      const page = entries.slice(start, start + PAGE)
      const next = start + PAGE < entries.length ? (page.at(-1)?.email.id ?? null) : null
      return { total: found.length, emails: page.map(({ email, more }) => ({ ...summaryOf(email), more })), next }
    },
    show(id: string): ShownEmail {
      const email = find(id)
      const source = email.html()
      return {
        ...summaryOf(email),
        has_html: source !== '',
        text: email.text(),
        source,
        headers: email.headers(),
        links: email.links(),
        actions: Object.keys(email.actions()),
        attachments: email.files().map((file) => {
          const content = file.content()
          const calendar = isCalendar(file) ? content.toString('utf8').slice(0, MAX_CALENDAR) : null
          return { name: file.name, type: file.type, size: content.length, calendar }
        }),
        acts: acts.get(id) ?? [],
      }
    },
    html: (id: string) => find(id).html(),
    attachment(id: string, index: number) {
      const file = find(id).files()[index]
      if (!file) throw new Refusal(404, 'The email has no such attachment')
      return { name: file.name, content: file.content() }
    },
    async act(id: string, action: string, body: Body) {
      const actions = find(id).actions()
      const act = actions[action]
      if (!act) throw new Refusal(404, `The actions of this email are ${Object.keys(actions).join(', ')}`)
      const [kind, detail = ''] = await act(body)
      acts.set(id, [...(acts.get(id) ?? []), { kind, at: new Date().toISOString(), detail }])
    },
  }
}
