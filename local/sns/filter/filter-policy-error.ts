/** A filter policy SNS does not take; `message` is its text without the prefix that names the API parameter. */
export class FilterPolicyError extends Error {
  override readonly name = 'FilterPolicyError';
}
