/**
 * Days between two rotations, unless a key says otherwise.
 *
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/rotating-keys-enable.html
 */
export const ROTATION_DAYS = 365;

/** How few and how many days there may be. */
export const ROTATION_BOUNDS_DAYS = { min: 90, max: 2560 };
