/**
 * Makes UTC the zone of this process. Liquid's dates go by way of the local clock: where that skips or repeats an hour,
 * they were an hour off around it, for readers in every other zone.
 */
export function keepUtc(): void {
  process.env.TZ = 'UTC'
}
