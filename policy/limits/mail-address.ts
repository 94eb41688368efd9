/** What SNS takes for a mail address. @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+$/;
