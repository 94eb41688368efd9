import { parseJson } from '../../kernel/json-problem';
import { InvalidInput } from '../../kernel/member-reader';

export const THE_BODY = 'the body';

/** @throws InvalidInput when the body is not JSON */
export function parsedBody(body: Uint8Array): unknown {
  const text = Buffer.from(body).toString('utf8');
  return parseJson(
    text,
    words => new InvalidInput([{ property: THE_BODY, rule: `must be JSON: ${words}`, value: text }]),
  );
}
