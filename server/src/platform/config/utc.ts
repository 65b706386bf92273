/**
 * Makes UTC the time zone of this process. Liquid computes dates by way of the local clock: around a change to or from
 * summer time there, dates would be an hour off for readers in every zone.
 */
export function useUtc(): void {
  process.env.TZ = 'UTC'
}
