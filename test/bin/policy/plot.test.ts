import fc from 'fast-check';
import { plotSvg } from '../../../bin/policy/plot';
import { PRESETS, withDefaults } from '../../../policy/delivery-policy/delivery-policy';
import { fittingRetryPolicies, SAMPLE_POLICY } from '../../policy/arbitraries';

interface Mark {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns the elements of the picture. Throws if tags do not match. */
function marks(svg: string): Mark[] {
  const open: string[] = [];
  const found: Mark[] = [];
  for (const [, closing, name = '', attributes = '', selfClosing, text = ''] of svg.matchAll(
    /<(\/?)([a-z]+)((?: [\w-]+="[^"<>]*")*)(\/?)>([^<]*)/g,
  )) {
    if (closing) expect(open.pop()).toBe(name);
    else {
      if (!selfClosing) open.push(name);
      found.push({
        name,
        attributes: Object.fromEntries(
          [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
        ),
        text,
      });
    }
  }
  expect(open).toEqual([]);
  return found;
}

const ofClass = (svg: string, name: string) =>
  marks(svg).filter(({ attributes }) => attributes['class']?.split(' ').includes(name));
const texts = (svg: string) =>
  marks(svg)
    .filter(({ name }) => name === 'text')
    .map(({ text }) => text);

describe('the sample policy', () => {
  const svg = plotSvg('sample', SAMPLE_POLICY.healthyRetryPolicy);

  test('has a dot for each of its 50 retries, further right and never lower than the one before', () => {
    const dots = ofClass(svg, 'dot').map(
      ({ attributes }) => [Number(attributes['cx']), Number(attributes['cy'])] as const,
    );
    expect(dots).toHaveLength(50);
    for (const [i, [x, y]] of dots.entries()) {
      const [beforeX, beforeY] = dots[i - 1] ?? [0, Number.POSITIVE_INFINITY];
      expect(x).toBeGreaterThan(beforeX);
      expect(y).toBeLessThanOrEqual(beforeY);
    }
  });

  test('names axes with units, phases and times', () => {
    expect(texts(svg)).toEqual(
      expect.arrayContaining([
        'sample',
        '1 + 50 attempts over 37 min 8.96 s',
        'retry number',
        'delay before the retry (seconds)',
        'exponential: no-delay (3) · pre-backoff (2) · backoff (10) · post-backoff (35)',
      ]),
    );
    expect(marks(svg).find(({ name }) => name === 'title')?.text).toBe('sample: delay before each retry');
  });

  test('has inks for light and dark, and no background', () => {
    expect(svg).toMatch(/<style>[^<]*@media \(prefers-color-scheme:dark\)\{[^<]*\.text\{fill:#f0f6fc\}/);
    const rectangles = marks(svg).filter(({ name }) => name === 'rect');
    expect(rectangles.length).toBeGreaterThan(0);
    expect(rectangles.every(({ attributes }) => attributes['class'] === 'band')).toBe(true);
  });
});

test('a phase of 100,000 equal retries is cut off, and the picture says so', () => {
  const svg = plotSvg('managed', PRESETS['aws-managed']);
  expect(ofClass(svg, 'dot')).toHaveLength(35);
  expect(texts(svg)).toContain('… and 99,980 more, 20 s apart');
  expect(texts(svg).join()).toContain('post-backoff (100,000)');
});

test('a policy without retries is an empty picture that says so', () => {
  const svg = plotSvg('none', withDefaults({ healthyRetryPolicy: { numRetries: 0 } }).healthyRetryPolicy);
  expect(texts(svg)).toContain('no retry');
  expect(ofClass(svg, 'dot')).toEqual([]);
});

test('a title is cut to the width, and cannot break the picture', () => {
  const svg = plotSvg(`<b> & "${'x'.repeat(200)}"`, SAMPLE_POLICY.healthyRetryPolicy);
  expect(texts(svg)[0]).toMatch(/^&#60;b&#62; &#38; &#34;x{76}…$/);
});

test('any policy that fits can be drawn, with no number missing', () => {
  fc.assert(
    fc.property(fittingRetryPolicies, policy => {
      const svg = plotSvg('any', policy);
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
      expect(ofClass(svg, 'dot')).toHaveLength(policy.numRetries);
    }),
    { numRuns: 30 },
  );
});
