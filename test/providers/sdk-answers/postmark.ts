import { startEmailEmulator } from '../../../dev/email-emulator.ts'
import { loadSdk } from '../../sdks.ts'
import { heard, type Provider, typed, withEmulator } from './recorded.ts'

/**
 * The package says nothing of null and has no type of its own for a refusal, and it calls the number of messages a text: the documentation
 * shows `Name` and `Message` as null, and `TotalCount` as a number.
 */
const DECLARATIONS = `import type { Models as Postmark } from 'postmark'
type Email<Type> = Json<Type, 'Name' | 'Message'>
type Emails = Email<Omit<Postmark.OutboundMessages, 'TotalCount'>> & { TotalCount: number }
`

export const postmark: Provider = {
  declarations: DECLARATIONS,
  types: 6,
  record: () =>
    withEmulator(startEmailEmulator, async (emulator) => {
      const { ServerClient } = loadSdk('postmark')
      const client = (fetch: typeof globalThis.fetch) =>
        new ServerClient(emulator.token, { useHttps: false, requestHost: `127.0.0.1:${emulator.port}`, fetch })
      const attachment = { Name: 'plan.txt', Content: 'YQ==', ContentType: 'text/plain', ContentID: null }
      const email = {
        From: 'Acme <hello@acme.test>',
        To: 'Ana <ana@example.com>',
        Cc: 'bo@example.com',
        Subject: 'News',
        TextBody: 'Hi',
        Metadata: { order: '7' },
        Attachments: [attachment],
        Headers: [{ Name: 'X-Order', Value: '7' }],
        ReplyTo: 'bo@acme.test',
      }
      const [sent] = (await heard((fetch) => client(fetch).sendEmail(email))) as [{ MessageID: string }]
      const refused = await heard((fetch) =>
        client(fetch)
          .sendEmail({ ...email, To: 'nobody' })
          .catch((error: { code: number }) => {
            if (error.code !== 300) throw error
          }),
      )
      const [batch] = (await heard((fetch) => client(fetch).sendEmailBatch([email, email]))) as [object[]]
      const found = await heard((fetch) => client(fetch).getOutboundMessages({ recipient: 'ana@example.com' }))
      emulator.events.set(sent.MessageID, [{ Type: 'Opened', ReceivedAt: '2026-11-02T08:00:00Z', Details: { Summary: 'Email opened' } }])
      const details = await heard((fetch) => client(fetch).getOutboundMessageDetails(sent.MessageID))
      emulator.suppressions.add('outbound', 'gone@example.com', 'SpamComplaint')
      const suppressed = await heard((fetch) => client(fetch).getSuppressions('outbound'))
      const Suppressions = [{ EmailAddress: 'gone@example.com' }, { EmailAddress: 'bo@example.com' }]
      const lifted = await heard((fetch) => client(fetch).deleteSuppressions('outbound', { Suppressions }))
      return [
        ...typed('Email<Postmark.MessageSendingResponse>', 'MessageID', [sent, ...batch]),
        ...typed('Email<Postmark.DefaultResponse>', 'ErrorCode', refused),
        ...typed('Emails', 'TotalCount', found),
        ...typed('Email<Postmark.OutboundMessageDetails>', 'MessageEvents', details),
        ...typed('Email<Postmark.Suppressions>', 'Suppressions', suppressed),
        ...typed('Email<Postmark.SuppressionStatuses>', 'Suppressions', lifted),
      ]
    }),
}
