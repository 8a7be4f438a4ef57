import type { Definition, Frame, RunPlace, Step } from './types.ts'

/** The lists of steps inside a step: the branches and what else, or the body of a loop. */
export function partsOf(step: Step): Step[][] {
  if (step.type === 'branch') {
    const branches = (step.branches as { steps: Step[] }[]).map(({ steps }) => steps)
    return [...branches, (step.else as Step[] | undefined) ?? []]
  }
  return step.type === 'for_each' ? [step.steps as Step[]] : []
}

/** All steps, in the order in which they are written. */
export const allSteps = (steps: Step[]): Step[] => steps.flatMap((step) => [step, ...partsOf(step).flatMap(allSteps)])

/** All steps with their places in the definition, as it is written: `steps.1.branches.0.steps.2`. */
export const placedSteps = (steps: Step[], path = 'steps'): { step: Step; path: string }[] =>
  steps.flatMap((step, index) => {
    const at = `${path}.${index}`
    const inner = (part: number) =>
      step.type === 'for_each' ? 'steps' : part < (step.branches as []).length ? `branches.${part}.steps` : 'else'
    return [{ step, path: at }, ...partsOf(step).flatMap((part, number) => placedSteps(part, `${at}.${inner(number)}`))]
  })

const listOf = (steps: Step[], { in: part }: Frame): Step[] => {
  if (part === null) return steps
  const step = allSteps(steps).find(({ id }) => id === part.step)
  return (step && partsOf(step)[part.part]) ?? []
}

/** The step that a run takes next, and its place without the lists that it has come to the end of. No step: the run is complete. */
export function locate({ steps }: Pick<Definition, 'steps'>, place: RunPlace): { step: Step | undefined; place: RunPlace } {
  let frames = place.frames
  for (;;) {
    const top = frames.at(-1)
    if (!top) return { step: undefined, place: { ...place, frames } }
    const step = listOf(steps, top)[top.index]
    if (step) return { step, place: { ...place, frames } }
    frames = ended(frames, top)
  }
}

/** The frames after the end of the innermost list: the next item of a loop, or the step behind the one that contains the list. */
function ended(frames: Frame[], top: Frame): Frame[] {
  const next = (top.item ?? 0) + 1
  if (top.items && next < top.items.length) return [...frames.slice(0, -1), { ...top, index: 0, item: next }]
  return moved(frames.slice(0, -1))
}

const moved = (frames: Frame[]): Frame[] => {
  const top = frames.at(-1)
  return top ? [...frames.slice(0, -1), { ...top, index: top.index + 1 }] : []
}

/** The place behind the present step. */
export const after = ({ ended: _, event: __, approval_id: ___, waits: ____, wait: _____, ...place }: RunPlace): RunPlace => ({
  ...place,
  frames: moved(place.frames),
})

/** The place at the beginning of a part of the present step. */
export const inside = (place: RunPlace, step: Step, part: number, items?: unknown[]): RunPlace => ({
  ...place,
  frames: [...place.frames, { in: { step: step.id, part }, index: 0, ...(items && { items, item: 0 }) }],
})

/** The item of the innermost loop. */
export function itemOf({ frames }: RunPlace): unknown {
  const loop = frames.findLast(({ items }) => items !== undefined)
  return loop?.items?.[loop.item ?? 0]
}

/**
 * What a step is left out by (`skip` of a place) for the present items of the loops that it is in: the id of an item that has one, since a
 * search may find others the next time, else its position. Outside of loops it is the id of the step.
 */
export function skipKey({ id }: Step, { frames }: RunPlace): string {
  const items = frames.flatMap(({ items, item = 0 }) => (items ? [(items[item] as { id?: unknown } | null)?.id ?? item] : []))
  return [id, ...items].join(':')
}
