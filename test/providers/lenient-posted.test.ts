import { describe, expect, test } from 'vitest'
import { reportOf as emailReport } from '../../dev/email-reports.ts'
import { foreignEmail } from '../../dev/inbound-mail.ts'
import { LENIENCE } from '../../dev/lenience.ts'
import { lenientText, type Missing, type Open } from '../../dev/lenient-forms.ts'
import { messageOf } from '../../dev/whatsapp-messages.ts'
import { OUTSIDE } from '../../routes/outside.ts'
import { microsoftChannelsIn } from '../../src/features/calendars/callbacks/calendar-notifications.ts'
import { emailEventOf } from '../../src/features/campaigns/rules/events.ts'
import { readInbound } from '../../src/features/email/rules/inbound-email.ts'
import { emailIn } from '../../src/features/mailboxes/callbacks/mailbox-notifications.ts'
import { reportedNotetaker } from '../../src/features/notetakers/schemas/notetaker-events.ts'
import { reportOf as paymentReportOf } from '../../src/features/orders/provider/stripe-reports.ts'
import { retellReportOf, twilioReportOf } from '../../src/features/phone/schemas/call-events.ts'
import { smsReceivedOf } from '../../src/features/sms/schemas/sms-events.ts'
import { reportedTranscript } from '../../src/features/transcripts/provider/transcribe.ts'
import { readWhatsAppEvent } from '../../src/features/whatsapp/rules/events.ts'
import { differences } from './lenient/comparing.ts'

const NOW = new Date('2026-11-28T09:00:00Z')
const ID = '019a0000-0000-7000-8000-000000000001'
const AT = Math.floor(NOW.getTime() / 1000)
const SENT = { MessageID: 'm', SubmittedAt: '', To: 'ana@example.com', Metadata: { workspace_id: ID, message_id: ID } }
const RAW = Buffer.from('From: Ana <ana@example.com>\r\nSubject: Hello\r\nMessage-ID: <1@example.com>\r\n\r\nHello')
const CALL = {
  call_id: 'call_1',
  direction: 'inbound',
  from_number: '+61400000002',
  to_number: '+61491570156',
  call_status: 'ended',
  start_timestamp: 1_700_000_000_000,
  end_timestamp: 1_700_000_060_000,
  disconnection_reason: 'user_hangup',
  transcript: 'User: Hi',
}
const SESSION = {
  id: 'cs_1',
  object: 'checkout.session',
  payment_status: 'paid',
  payment_intent: 'pi_1',
  amount_total: 2_000,
  currency: 'aud',
  metadata: { order_id: ID },
  customer_details: { name: 'Ana', email: 'ana@example.com' },
}
const FORM = { From: '+61400000002', To: '+61491570156', AccountSid: 'AC0', ApiVersion: '2010-04-01' }

type Posted = {
  path: string
  read: (body: never) => unknown
  body: object
  open: Open
  /** What of it says what it is about, with a value that is not known. */
  unknown?: object
  optional?: string[]
}
const POSTED: Record<string, Posted> = {
  'an email that has arrived': {
    path: '/email-events/:token',
    read: readInbound,
    body: foreignEmail(RAW, 'inbox@example.com', false),
    open: LENIENCE.email,
    optional: [
      'HtmlBody',
      'Tag',
      'StrippedTextReply',
      'ReplyTo',
      'CcFull',
      'BccFull',
      'Cc',
      'Bcc',
      'MailboxHash',
      'FromName',
      'OriginalRecipient',
      'Attachments',
    ],
  },
  'a delivery': {
    path: '/email-events/:token',
    read: (body) => emailEventOf(body, NOW),
    body: emailReport(SENT, 'Delivery', '2026-11-28T08:00:00Z'),
    open: LENIENCE.email,
    unknown: { RecordType: 'AddedLater' },
    optional: ['Tag', 'Details', 'ServerID', 'Recipient'],
  },
  'a call at Retell': {
    path: '/call-events/*',
    read: retellReportOf,
    body: { event: 'call_ended', call: CALL },
    open: LENIENCE.voice,
    unknown: { event: 'call_added_later' },
    optional: ['start_timestamp', 'end_timestamp', 'disconnection_reason', 'transcript', 'from_number'],
  },
  'a call at Twilio': {
    path: '/call-events/*',
    read: twilioReportOf,
    body: { ...FORM, CallSid: `CA${'1'.repeat(32)}`, CallStatus: 'completed' },
    open: LENIENCE.sms,
  },
  'an SMS': {
    path: '/sms-events/*',
    read: (body) => smsReceivedOf(body, NOW),
    body: { ...FORM, MessageSid: `SM${'1'.repeat(32)}`, Body: 'Grüße', NumMedia: '0', NumSegments: '1' },
    open: LENIENCE.sms,
    optional: ['NumMedia', 'NumSegments', 'ApiVersion'],
  },
  'a bot': {
    path: '/notetaker-events',
    read: reportedNotetaker,
    open: LENIENCE.notetaker,
    unknown: { event: 'bot.added_later', data: {} },
    body: {
      event: 'bot.done',
      data: { data: { code: 'done', sub_code: null }, bot: { id: 'b', metadata: { workspace_id: ID, notetaker_id: ID } } },
    },
  },
  'a transcript': {
    path: '/transcript-events/:workspace/:transcript/:token',
    read: reportedTranscript,
    open: LENIENCE.speech,
    unknown: { metadata: {}, results: null },
    body: {
      metadata: { request_id: 'r', duration: 20.4, models: [] },
      results: {
        channels: [{ detected_language: 'en' }],
        utterances: [{ start: 0, end: 1, speaker: 0, transcript: 'Grüße', confidence: 1 }],
      },
    },
    optional: ['request_id', 'detected_language', 'models', 'confidence', 'speaker', 'channels'],
  },
  'a change of a Microsoft calendar': {
    path: '/calendar-notifications/microsoft',
    read: microsoftChannelsIn,
    open: LENIENCE.microsoft,
    body: { value: [{ subscriptionId: 's', clientState: `${ID}.secret`, changeType: 'created', resourceData: { id: 'e' }, tenantId: '' }] },
    optional: ['resourceData', 'tenantId', 'changeType'],
  },
  'a change of a mailbox': {
    path: '/mailbox-notifications/gmail/:token',
    read: emailIn,
    open: LENIENCE.google,
    optional: ['publishTime', 'subscription', 'messageId'],
    body: {
      message: {
        data: Buffer.from('{"emailAddress":"ana@example.com","historyId":7}').toString('base64'),
        messageId: '1',
        publishTime: 'x',
      },
      subscription: 's',
    },
  },
  'a payment': {
    path: '/payment-events/*',
    read: paymentReportOf,
    open: LENIENCE.stripe,
    unknown: { type: 'checkout.session.added_later' },
    body: { id: 'evt_1', object: 'event', created: AT, type: 'checkout.session.completed', data: { object: SESSION } },
    optional: ['customer_details', 'object.object', 'amount_total'],
  },
  'a message of WhatsApp': {
    path: 'an incoming webhook',
    read: (body) => readWhatsAppEvent(body, NOW),
    open: LENIENCE.whatsapp,
    unknown: { event: 'messages.added_later' },
    body: { event: 'messages.upsert', instance: 'phone', data: messageOf({ text: 'Grüße', at: AT }), apikey: 'k' },
    optional: ['instance', 'apikey', 'pushName', 'source', 'status', 'instanceId', 'messageType'],
  },
}

const inForm = ({ body, open, optional = [] }: Posted, missing: Missing) =>
  JSON.parse(lenientText(JSON.stringify(body), 'application/json', { ...open, optional: [...(open.optional ?? []), ...optional] }, missing))

describe.each(Object.entries(POSTED))('what is posted about %s', (_, posted) => {
  const strict = posted.read(posted.body as never)

  test('is read with fields that are new, and in another order', () => {
    expect(strict).toBeTruthy()
    expect(differences(posted.read(inForm(posted, 'given') as never), strict, false)).toEqual([])
  })

  test.each(['absent', 'null'] as const)('is read when fields are %s', (missing) => {
    const read = posted.read(inForm(posted, missing) as never)
    expect(read).toBeTruthy()
    expect(differences(read, strict, true)).toEqual([])
  })

  test('says nothing if it is of a kind that is not known', () => {
    if (posted.unknown) expect(posted.read({ ...posted.body, ...posted.unknown } as never)).toBeUndefined()
  })
})

/** Callbacks that read no body: that of Google Calendar has only headers, and a bundle is looked up. */
const WITHOUT_BODY = ['/calendar-notifications/google', '/bundle-events/*']
test('every callback of a provider is among them', () => {
  const callbacks = OUTSIDE.filter((outside) => 'callback' in outside || outside.path === '/payment-events/*').map(({ path }) => path)
  const read = [...WITHOUT_BODY, ...Object.values(POSTED).map(({ path }) => path)]
  expect(callbacks.filter((path) => !read.includes(path))).toEqual([])
})
