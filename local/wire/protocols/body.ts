import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { AwsError } from '../../kernel/aws-error';
import { parseJson } from '../../kernel/json-problem';
import { ShapeError } from './shape-error';
import type { WireRequest } from './wire-protocol';

const MAX_UNZIPPED_BYTES = 16 * 1024 * 1024;

/**
 * The request with its body as it was before the client zipped it; CloudWatch's clients do so with long ones.
 *
 * @throws ShapeError when it is no zip, or larger unzipped than any service takes
 * @throws AwsError when it is packed in a way no service here unpacks
 */
export function unzipped<Request extends Pick<WireRequest, 'headers' | 'body'>>(request: Request): Request {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity' || encoding === 'aws-chunked') return request;
  if (encoding !== 'gzip') {
    throw new AwsError('UnsupportedMediaType', `The Content-Encoding must be gzip, got ${encoding}`, 415);
  }
  try {
    return { ...request, body: gunzipSync(request.body, { maxOutputLength: MAX_UNZIPPED_BYTES }) };
  } catch {
    // Whatever zlib minds, AWS answers the same.
    throw new ShapeError('must be in gzip, as its Content-Encoding says', start(request.body));
  }
}

/** Bodies no longer than this hold nothing that takes long to parse. */
const SHORT_BYTES = 256 * 1024;

/** More than any request has, which AWS limits otherwise: its items, parameters, or what it is nested in. */
export const MOST_PARTS = 200_000;

/** @throws ShapeError when a long body is made of so many parts that parsing it would take the memory of the process */
function checkParts(body: Uint8Array, marks: string): void {
  if (body.byteLength <= SHORT_BYTES) return;
  let parts = 0;
  for (const mark of Buffer.from(marks)) {
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + 1)) {
      parts += 1;
      if (parts > MOST_PARTS)
        throw new ShapeError(`must have no more than ${MOST_PARTS} parts`, `${body.byteLength} bytes`);
    }
  }
}

/** @throws ShapeError when it is not the JSON of anything, or nested too deeply; an empty body is an empty document */
export function parsedJson(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  checkParts(body, ',[{');
  const text = decodedText(body, 'a JSON document');
  return parseJson(text, words => new ShapeError(`must be a JSON document in UTF-8 (${words})`, start(body)));
}

/** @throws ShapeError when it is no text in UTF-8 */
export function decodedText(body: Uint8Array, what: string): string {
  if (!isUtf8(body)) throw new ShapeError(`must be ${what} in UTF-8`, start(body));
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** @throws ShapeError when it is no form in UTF-8 */
export function parsedForm(body: Uint8Array): URLSearchParams {
  checkParts(body, '&');
  return new URLSearchParams(decodedText(body, 'a form'));
}

/** As much of a body as it takes to recognise it. */
function start(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 60)).toString('latin1');
}
