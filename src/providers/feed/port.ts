/** Tells those who wait for a workspace's events when there are new ones. */
export type Feed = {
  /** After this number of seconds a stream ends, so that its client connects again. */
  streamSeconds: number
  /** A stream sends something at least this often, and checks the authority of its reader. */
  heartbeatSeconds: number
  /** Takes one of the workspace's places for readers. @throws RATE_LIMITED when all are taken, UNAVAILABLE. */
  join(workspaceId: string): Promise<Place>
}

/** The place of one reader, who must leave it in the end. */
export type Place = {
  /**
   * Resolves when the feed has events behind this position (an `xid` of the outbox), or after so many milliseconds. `ended`: the place is
   * lost, or was left.
   */
  moved(position: string, milliseconds: number): Promise<'moved' | 'quiet' | 'ended'>
  /** Resolves when the place is free. */
  leave(): Promise<void>
}
