/** How long the Worker of the tests collects log entries, unless a test drains it. */
export const LOG_MILLISECONDS = 50_000
