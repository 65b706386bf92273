/** What rows of the API are made of in tests; each is checked against the contract, and every field can be overridden. */
export const uuid = (n: number): string => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
export const noon = (seconds = 0): string => new Date(Date.UTC(2026, 0, 31, 12, 0, seconds)).toISOString()
