import type { SpokenPart } from '../rules/transcript.ts'

/** What a bot is to do. `join_at` null: at once. */
export type BotOrder = {
  workspace_id: string
  notetaker_id: string
  meeting_url: string
  join_at: string | null
  /** The times and the link of this order, which a bot that is found later shows. */
  ordered_join_at: string
  limit_seconds: number
}

/** `code`: the provider's status of the bot at that time, such as `in_call_recording`. */
export type BotStatus = { code: string; sub_code: string | null; at: string }
export type BotRecording = {
  id: string
  started_at: string | null
  completed_at: string | null
  transcript: { status: 'processing' | 'done' | 'failed'; url: string | null } | null
}
export type Bot = {
  id: string
  /** What was ordered last. */
  join_at: string | null
  meeting_url: string | null
  statuses: BotStatus[]
  recordings: BotRecording[]
}

/** `busy`: no bot is available at the moment. `unclear`: a bot may have been created, so call `find` before creating another. */
export type Creation = { outcome: 'created'; bot: Bot } | { outcome: 'refused' | 'busy' | 'unavailable' | 'unclear'; reason: string }

/** All but `create` throw when there is no response, or one that says nothing. */
export type NotetakerProvider = {
  /** Never throws. */
  create(order: BotOrder): Promise<Creation>
  /** The bots that were ordered for a notetaker, oldest first. */
  find(notetakerId: string): Promise<Bot[]>
  get(botId: string): Promise<Bot | undefined>
  /** `too_late`: it joins or has joined already, or is no longer there. */
  update(botId: string, order: BotOrder): Promise<'updated' | 'too_late'>
  /** Deletes a bot that has not joined yet; one that is not there is deleted already. */
  remove(botId: string): Promise<'removed' | 'too_late'>
  /** Makes a bot leave its meeting. One that is in none is left as it is. */
  leave(botId: string): Promise<void>
  /** Downloads a transcript from the address that `get` has returned. */
  transcript(url: string): Promise<SpokenPart[]>
}
