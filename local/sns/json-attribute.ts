import { parseJson } from '../kernel/json-problem';

/** As AWS's answer names where it read; it does not show what. */
const SOURCE = 'REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled)';

/**
 * Parses an attribute that holds JSON.
 *
 * @param refuse makes the error, of the text that is recorded without the attribute's name before it
 */
export function parseJsonAttribute(text: string, refuse: (problem: string) => Error): unknown {
  return parseJson(text, (_, { reason, line, column }) =>
    refuse(`failed to parse JSON. ${reason}\n at [Source: ${SOURCE}; line: ${line}, column: ${column}]`),
  );
}
