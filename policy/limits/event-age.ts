/**
 * For how long EventBridge tries a target, of a rule as of a schedule, where nobody says otherwise: a day.
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RetryPolicy.html
 */
export const TARGET_EVENT_AGE_SECONDS = 86_400;
