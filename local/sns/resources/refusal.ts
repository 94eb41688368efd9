import type { PropertyReader } from '../../cloudformation/property-reader';
import { AwsError } from '../../kernel/aws-error';

/** Does what the API is to do with the property `name`; if SNS refuses, the deploy fails by that property. */
export function noting<Answer>(
  properties: PropertyReader,
  name: string,
  value: unknown,
  act: () => Answer,
): Answer | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return properties.problem(name, `is refused by SNS: ${error.message}`, value);
  }
}
