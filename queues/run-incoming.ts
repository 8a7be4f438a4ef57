import type { Env } from '../src/env.ts'
import type { MessageOf } from './messages.ts'

export async function runIncoming(_env: Env, _message: MessageOf<'incoming.run'>): Promise<void> {}
export async function deadLetterIncoming(_env: Env, _message: MessageOf<'incoming.run'>): Promise<void> {}
