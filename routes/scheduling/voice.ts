import { Hono } from 'hono'
import * as v from 'valibot'
import { simulateCall } from '../../src/features/scheduling/plans/simulate.ts'
import { voiceBook, voiceCancel, voiceFind, voiceReschedule } from '../../src/features/scheduling/plans/voice.ts'
import { wordingOf } from '../../src/features/scheduling/plans/voice-call.ts'
import { deleteProvider, listProviders, setProvider } from '../../src/features/scheduling/plans/voice-providers.ts'
import { voiceSlots } from '../../src/features/scheduling/plans/voice-slots.ts'
import { VOICE_PROVIDERS } from '../../src/features/scheduling/rules/voice/providers.ts'
import type { Tool } from '../../src/features/scheduling/rules/voice/texts.ts'
import {
  DeletedVoiceProvider,
  SimulateCall,
  SimulatedCall,
  toolCall,
  VoiceProvider,
  VoiceProviderIn,
} from '../../src/features/scheduling/schemas/voice.ts'
import { one, scopes, text } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Enum, Id } from '../../src/schemas/fields.ts'
import { SCHEDULING } from '../paths.ts'

export const voiceRouter = new Hono<App>()
export const voiceProvidersRouter = new Hono<App>()
export const voiceProvidersApi = endpoints(voiceProvidersRouter, { path: SCHEDULING.voiceProviders, tag: 'Voice Scheduling' })
export const voiceApi = endpoints(voiceRouter, { path: SCHEDULING.voice, tag: 'Voice Scheduling' })

const params = v.object({ event_type_id: Id })
const ofProvider = v.object({ provider: Enum(VOICE_PROVIDERS, 'The provider.') })
const texts = (tool: Tool) => text(200, wordingOf(tool))
const ALWAYS =
  'The response is a text for the agent, with status 200 for failures too; in an envelope with several tool calls it is JSON. ' +
  'A signature of a provider that does not match its stored secret is refused with 401.'

voiceApi.post(
  '/:event_type_id/slots',
  {
    id: 'voiceListSlots',
    summary: 'List free times for a voice agent',
    description:
      `${ALWAYS} At most six times, each with its booking key in brackets, spread over the days and the parts of the day, and how many ` +
      'more there are. A day that is not understood, or is over, leads to a question.',
    access: scopes('scheduling:read'),
    effect: 'read',
    params,
    body: toolCall('slots', { args: { date: '2026-12-01', part_of_day: 'afternoon' } }),
    returns: texts('slots'),
    errors: ['INVALID_SIGNATURE'],
  },
  ({ ctx, params, body }) => voiceSlots(ctx, params.event_type_id, body),
)
voiceApi.post(
  '/:event_type_id/book',
  {
    id: 'voiceBook',
    summary: 'Book a time for a voice agent',
    description: `${ALWAYS} A repeated tool call books nothing twice. \
The answers to the event type’s questions are arguments under their keys.`,
    access: scopes('scheduling:write'),
    params,
    body: toolCall('book', {
      args: { slot: '2026-12-01 09:30', name: 'Ana Lee', phone: '+61412345678' },
    }),
    returns: texts('book'),
    errors: ['INVALID_SIGNATURE'],
  },
  ({ ctx, params, body }) => voiceBook(ctx, params.event_type_id, body),
)
voiceApi.post(
  '/cancel-booking',
  {
    id: 'voiceCancelBooking',
    summary: "Cancel a caller's booking",
    description:
      `${ALWAYS} The caller is found by \`phone\`, else by the number of the call. With several upcoming bookings, the first call ` +
      'returns a numbered list and cancels nothing.',
    access: scopes('scheduling:write'),
    body: toolCall('cancel', { args: { phone: '+61412345678' } }),
    returns: texts('cancel'),
    errors: ['INVALID_SIGNATURE'],
  },
  ({ ctx, body }) => voiceCancel(ctx, body),
)
voiceApi.post(
  '/reschedule-booking',
  {
    id: 'voiceRescheduleBooking',
    summary: "Move a caller's booking",
    description:
      `${ALWAYS} The new time is claimed and the old one freed in one transaction. With several upcoming bookings, the first call ` +
      'returns a numbered list and moves nothing.',
    access: scopes('scheduling:write'),
    body: toolCall('reschedule', {
      args: { slot: '2026-12-01 09:30', phone: '+61412345678' },
    }),
    returns: texts('reschedule'),
    errors: ['INVALID_SIGNATURE'],
  },
  ({ ctx, body }) => voiceReschedule(ctx, body),
)
voiceApi.post(
  '/find-booking',
  {
    id: 'voiceFindBooking',
    summary: "Find a caller's bookings",
    description: ALWAYS,
    access: scopes('scheduling:read'),
    effect: 'read',
    body: toolCall('find', { args: { phone: '+61412345678' } }),
    returns: texts('find'),
    errors: ['INVALID_SIGNATURE'],
  },
  ({ ctx, body }) => voiceFind(ctx, body, ctx.isSentByAnother),
)
voiceApi.post(
  '/simulate',
  {
    id: 'simulateVoiceCall',
    summary: 'Preview the response to a voice agent',
    description: 'Returns the exact text of a tool for an envelope, as the caller’s key would get it. Nothing is written.',
    access: scopes('scheduling:write'),
    effect: 'read',
    body: SimulateCall,
    returns: SimulatedCall,
  },
  ({ ctx, body }) =>
    // Loaded late, because the registry imports this file.
    simulateCall(body, (target, request) =>
      import('../index.ts').then(({ endpointFor }) => endpointFor(target)).then((endpoint) => ctx.simulate(endpoint, request)),
    ),
)
voiceProvidersApi.get(
  '',
  {
    id: 'listVoiceProviders',
    summary: 'List the voice providers whose requests are recognised',
    access: scopes('scheduling:read'),
    returns: one(v.array(VoiceProvider)),
  },
  () => listProviders(),
)
voiceProvidersApi.put(
  '/:provider',
  {
    id: 'setVoiceProvider',
    summary: 'Set the secret of a voice provider',
    description:
      'A request that the provider has signed with it proves the number of who is on the line: of a caller who gives another number ' +
      'the agent must then ask the name. A tool call with a signature that does not match is refused with 401; one without a signature ' +
      'is unverified. The secret is never shown.',
    access: { ...scopes('scheduling:write'), direct: true },
    params: ofProvider,
    body: VoiceProviderIn,
    returns: VoiceProvider,
  },
  ({ ctx, params, body }) => setProvider(ctx, params.provider, body.secret),
)
voiceProvidersApi.delete(
  '/:provider',
  {
    id: 'deleteVoiceProvider',
    summary: 'Delete the secret of a voice provider',
    access: scopes('scheduling:write'),
    params: ofProvider,
    returns: DeletedVoiceProvider,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => deleteProvider(params.provider),
)
