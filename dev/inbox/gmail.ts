import { type GmailMessage, type GmailWorld, headerOf, textIn } from '../gmail-world.ts'
import { decodedHeader, type MimePart } from '../mime-reader.ts'
import type { EmailFile, LocalEmail } from './emails.ts'
import { textIn as fieldIn } from './web.ts'

const partsOf = (part: MimePart): MimePart[] => [part, ...part.parts.flatMap(partsOf)]

const filesOf = ({ mime }: GmailMessage): EmailFile[] =>
  partsOf(mime)
    .filter(({ filename }) => filename !== '')
    .map(({ filename, type, content }) => ({ name: filename, type, content: () => content }))

const headersOf = (mailbox: string, { mime, id, threadId, labelIds }: GmailMessage): [string, string][] => [
  ...mime.headers.map(({ name, value }): [string, string] => [name, decodedHeader(value)]),
  ...Object.entries({ mailbox, message: id, thread: threadId, labels: labelIds.join(', ') }).map(([name, value]): [string, string] => [
    `Gmail ${name}`,
    value,
  ]),
]

/** The emails that were sent from the mailboxes at Gmail. Their recipients can reply: Gmail reports nothing else about them. */
export const gmailEmails =
  (world: GmailWorld): (() => LocalEmail[]) =>
  () =>
    [...world.boxes.keys()].flatMap((mailbox) =>
      world.sent(mailbox).map((sent) => ({
        id: sent.id,
        at: new Date(sent.receivedAt).toISOString(),
        mailbox,
        campaign: null,
        from: headerOf(sent, 'From'),
        to: headerOf(sent, 'To'),
        subject: headerOf(sent, 'Subject'),
        text: () => textIn(sent.mime, 'text/plain'),
        html: () => textIn(sent.mime, 'text/html'),
        headers: () => headersOf(mailbox, sent),
        files: () => filesOf(sent),
        links: () => [],
        actions: () => ({
          async reply(body) {
            const text = fieldIn(body, 'text')
            world.answer(mailbox, sent, text)
            return ['replied', text]
          },
        }),
      })),
    )
