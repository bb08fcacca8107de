const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const isUuid = (value: unknown): value is string => typeof value === 'string' && uuid.test(value);
