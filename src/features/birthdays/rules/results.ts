import { UNREACHABLE_REASONS } from '../../messages/rules/messages.ts'

export const BIRTHDAY_CHANNELS = ['email', 'sms'] as const
/** The outcome of a birthday message: it was queued, or skipped for a reason. `no_template`: the template has no text for any channel. */
export const BIRTHDAY_RESULTS = ['queued', ...UNREACHABLE_REASONS, 'no_template', 'failed'] as const
export type BirthdayResult = (typeof BIRTHDAY_RESULTS)[number]
