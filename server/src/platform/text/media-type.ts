/** The media type in a header content-type, without its parameters, such as charset. */
export const mediaTypeOf = (header = ''): string => header.split(';', 1)[0]!.trim().toLowerCase()
