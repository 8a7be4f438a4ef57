import { availabilityApi, timeOffApi } from './availability.ts'
import { bookingsApi } from './bookings.ts'
import { scheduledEventTypesApi } from './event-types.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [bookingsApi, scheduledEventTypesApi, availabilityApi, timeOffApi]
