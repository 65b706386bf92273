/** The library brings no types; this is what we use of it. */
declare module 'fs-native-extensions' {
  /** Locks the whole file for this descriptor; false when another has it. */
  export function tryLock(fd: number): boolean
}
