import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { AwsError } from '../../kernel/aws-error';
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

/** @throws ShapeError when it is not the JSON of anything; an empty body is an empty document */
export function parsedJson(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  try {
    const value: unknown = JSON.parse(decodedText(body, 'a JSON document'));
    return value;
  } catch {
    // Whatever the text or the JSON parser minds, AWS answers the same.
    throw new ShapeError('must be a JSON document in UTF-8', start(body));
  }
}

/** @throws ShapeError when it is no text in UTF-8 */
export function decodedText(body: Uint8Array, what: string): string {
  if (!isUtf8(body)) throw new ShapeError(`must be ${what} in UTF-8`, start(body));
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** As much of a body as it takes to recognise it. */
function start(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 60)).toString('latin1');
}
