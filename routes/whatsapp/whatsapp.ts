import { Hono } from 'hono'
import * as v from 'valibot'
import { getMedia } from '../../src/features/message-media/plans/files.ts'
import { MediaLink } from '../../src/features/message-media/schemas/message-media.ts'
import { postedWhatsApp } from '../../src/features/whatsapp/callbacks/posted-whatsapp.ts'
import { receiveReport, tokenHolder } from '../../src/features/whatsapp/plans/inbound.ts'
import { beginPairing, endPairing, getPairing } from '../../src/features/whatsapp/plans/pair.ts'
import { reactTo } from '../../src/features/whatsapp/plans/react.ts'
import { sendWhatsApp } from '../../src/features/whatsapp/plans/send.ts'
import {
  AcceptedReport,
  ReactionToSend,
  WhatsAppMessage,
  WhatsAppPairing,
  WhatsAppQr,
  WhatsAppSent,
  WhatsAppToSend,
} from '../../src/features/whatsapp/schemas/whatsapp.ts'
import { created, one, raw, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { CRM, WHATSAPP } from '../paths.ts'

export const whatsappRouter = new Hono<App>()
export const whatsappApi = endpoints(whatsappRouter, { path: WHATSAPP.whatsapp, tag: 'WhatsApp' })

whatsappApi.post(
  '/send',
  {
    id: 'sendWhatsappMessage',
    summary: 'Send a WhatsApp message',
    description:
      'Writes to a number, or into a conversation. The message costs credits, which are reserved at once and refunded if it cannot be ' +
      'sent. Its status shows the outcome.',
    access: scopes('whatsapp:send'),
    body: WhatsAppToSend,
    returns: created(WhatsAppSent, CRM.messages),
    errors: ['CHANNEL_NOT_CONFIGURED', 'RECIPIENT_UNREACHABLE', 'INSUFFICIENT_CREDITS', 'ATTACHMENTS_TOO_LARGE'],
    limits: { rate: 'sends' },
  },
  ({ ctx, body }) => sendWhatsApp(ctx, body),
)
whatsappApi.post(
  '/messages/:whatsapp_message_id/reaction',
  {
    id: 'reactToWhatsappMessage',
    summary: 'React to a WhatsApp message',
    description:
      'Sets the reaction of the paired phone to a message of a conversation or a group, instead of an earlier one, or takes it away. ' +
      'It costs no credits. `reactions` of the message shows whether WhatsApp has accepted it.',
    access: scopes('whatsapp:send'),
    params: v.object({ whatsapp_message_id: Id }),
    body: ReactionToSend,
    returns: one(WhatsAppMessage),
    errors: ['NOT_FOUND', 'INVALID_STATE', 'CHANNEL_NOT_CONFIGURED', 'RECIPIENT_UNREACHABLE'],
    limits: { rate: 'sends' },
  },
  ({ ctx, params, body }) => reactTo(ctx, params.whatsapp_message_id, body),
)
whatsappApi.get(
  '/media/:media_id/download',
  {
    id: 'getWhatsappMedia',
    summary: 'Get a download link for a file of a WhatsApp message',
    description: 'Files of messages are fetched from the provider within seconds, at most 10 MB each.',
    access: scopes('whatsapp:read'),
    params: v.object({ media_id: Id }),
    returns: MediaLink,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => getMedia(ctx, 'whatsapp_message_id', params.media_id),
)
whatsappApi.get(
  '/pairing',
  {
    id: 'getWhatsappPairing',
    summary: 'Get the state of the pairing with WhatsApp',
    access: scopes('whatsapp:read'),
    returns: WhatsAppPairing,
  },
  () => getPairing(),
)
whatsappApi.post(
  '/pair',
  {
    id: 'pairWhatsapp',
    summary: 'Pair a phone with WhatsApp',
    description:
      'Returns a QR code as a data URL, to scan in the linked devices of the phone. It expires within a minute and is replaced: ' +
      'repeat the request until the status is `connected`. While a pairing is in progress, its QR code is returned, and when a phone ' +
      'is paired already, that phone.',
    access: scopes('whatsapp:write'),
    returns: WhatsAppQr,
    errors: ['INVALID_STATE'],
  },
  ({ ctx }) => beginPairing(ctx),
)
whatsappApi.post(
  '/inbound/:whatsapp_token',
  {
    id: 'receiveWhatsapp',
    summary: 'Receive a report from the provider of WhatsApp',
    description: 'The webhook of Evolution API. A report is stored and answered at once, and processed within seconds.',
    access: { ...scopes('whatsapp:write'), principal: ({ url }) => tokenHolder(url) },
    params: v.object({ whatsapp_token: v.pipe(v.string(), v.description('The token of the pairing.'), v.examples(['3f1b2c'])) }),
    body: raw(postedWhatsApp),
    returns: AcceptedReport,
    errors: ['UNAUTHENTICATED', 'UNSUPPORTED_MEDIA_TYPE'],
  },
  ({ ctx, body }) => receiveReport(ctx, body.event),
)
whatsappApi.post(
  '/disconnect',
  {
    id: 'disconnectWhatsapp',
    summary: 'End the pairing with WhatsApp',
    description:
      'Nothing is sent or received from then on. The status is `disconnecting` until the provider has confirmed that the connection is ' +
      'gone. Conversations stay.',
    access: scopes('whatsapp:write'),
    returns: WhatsAppPairing,
  },
  ({ ctx }) => endPairing(ctx),
)
