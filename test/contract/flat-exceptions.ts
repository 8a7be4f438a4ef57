/** Calls whose cost may depend on the workspace, why, and the most blocks that they touch at any size. */
export const EXCEPTIONS: Record<string, { most: number; why: string }> = {}
