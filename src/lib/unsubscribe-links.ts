import { isSigned, signPath } from './signed-paths.ts'

/** The links work for ten years: an old email must not lose its way out. */
const SECONDS = 10 * 366 * 86_400

/** The path at which a recipient unsubscribes, signed so that nobody can guess another one. */
export const unsubscribePath = (secret: string, workspaceId: string, recipientId: string, now: Date): string =>
  signPath(secret, `/unsubscribe/${workspaceId}/${recipientId}`, Math.floor(now.getTime() / 1000) + SECONDS)

/** Whether the URL is such a path, with its own signature. */
export const isUnsubscribeLink = (secret: string, url: string, now: Date): boolean => isSigned(secret, new URL(url), now)
