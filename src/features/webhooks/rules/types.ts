/** An attempt to deliver an event. `duration` is in milliseconds; `status` is null without a response. */
export type DeliveryAttempt = { at: string; status: number | null; error: string | null; duration: number }

/** The response of a receiver, as far as the log keeps it. */
export type StoredResponse = { status: number; headers: Record<string, string>; body: string; truncated: boolean }

/** For each field of a record: the path of its value in the payload, or a value of its own. */
export type Mapping = Record<string, string | { value: unknown }>
