import { AwsError } from '../../../local/kernel/aws-error';
import { pageOf } from '../../../local/kernel/page';

const MESSAGES = ['a', 'b', 'c', 'd', 'e'];
const refuse = (token: string): AwsError => new AwsError('InvalidToken', token);
const page = (token?: string, size = 2) => pageOf(MESSAGES, size, token, refuse);

describe('a page of a listing', () => {
  it('follows the one whose token it is given, up to the last, which gives none', () => {
    const first = page();
    expect(first).toEqual({ items: ['a', 'b'], nextToken: expect.any(String) });
    const second = page(first.nextToken);
    expect(second).toEqual({ items: ['c', 'd'], nextToken: expect.any(String) });
    expect(page(second.nextToken)).toEqual({ items: ['e'], nextToken: undefined });
  });

  it('is the last when it just holds everything', () => {
    expect(page(undefined, 5)).toEqual({ items: MESSAGES, nextToken: undefined });
  });

  it('is empty where the list has become shorter than the token says', () => {
    expect(page('7')).toEqual({ items: [], nextToken: undefined });
  });

  it('begins at the beginning for an empty token', () => {
    expect(page('').items).toEqual(['a', 'b']);
  });

  it.each(['x', '-1', '1.5', ' '])('is refused for "%s", which is no token', token => {
    expect(() => page(token)).toThrow(refuse(token));
  });
});
