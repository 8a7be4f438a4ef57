import { CONVERSATION_LOADS } from './conversation-loads.ts'
import { EMAIL_LOADS } from './email-loads.ts'
import { MAILBOX_LOADS } from './mailbox-loads.ts'
import { MESSAGE_LOADS } from './message-loads.ts'
import { NOTETAKER_LOADS } from './notetaker-loads.ts'
import { PHONE_LOADS } from './phone-loads.ts'
import { SMS_LOADS } from './sms-loads.ts'
import type { Load } from './values.ts'
import { WHATSAPP_LOADS } from './whatsapp-loads.ts'

/** What reaches a workspace through its channels. */
export const CHANNEL_LOADS: Load[] = [
  ...MESSAGE_LOADS,
  ...EMAIL_LOADS,
  ...MAILBOX_LOADS,
  ...SMS_LOADS,
  ...NOTETAKER_LOADS,
  ...PHONE_LOADS,
  ...WHATSAPP_LOADS,
  ...CONVERSATION_LOADS,
]
