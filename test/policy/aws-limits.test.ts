import { isUnsupportedBetweenRegions, QUEUE_NAMES, regionalSnsPrincipal } from '../../policy/aws-limits';

/**
 * The Regions that an account must enable.
 * @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
 */
const OPT_IN = [
  ...['af-south-1', 'ap-east-1', 'ap-east-2', 'ap-south-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5'],
  ...['ap-southeast-6', 'ap-southeast-7', 'ca-west-1', 'eu-central-2', 'eu-south-1', 'eu-south-2', 'il-central-1'],
  ...['me-central-1', 'me-south-1', 'mx-central-1'],
];

describe('deliveries of SNS between Regions', () => {
  test.each(OPT_IN)('to %s, an opt-in Region: queues receive from Regions enabled by default, functions do not', to => {
    expect(isUnsupportedBetweenRegions('us-east-1', to, 'sqs')).toBe(false);
    expect(isUnsupportedBetweenRegions('us-east-1', to, 'lambda')).toBe(true);
    expect(regionalSnsPrincipal('us-east-1', to)).toBe(`sns.${to}.amazonaws.com`);
  });

  test.each(['sqs', 'lambda'])('from one opt-in Region to another, %s receives nothing', protocol => {
    expect(isUnsupportedBetweenRegions('af-south-1', 'eu-south-1', protocol)).toBe(true);
    expect(regionalSnsPrincipal('af-south-1', 'eu-south-1')).toBe('sns.eu-south-1.amazonaws.com');
  });

  test('to other protocols are undocumented', () => {
    expect(isUnsupportedBetweenRegions('af-south-1', 'eu-south-1', 'https')).toBe(false);
  });

  test('from an opt-in Region to one enabled by default, SNS uses the principal of the opt-in Region', () => {
    expect(isUnsupportedBetweenRegions('af-south-1', 'us-east-1', 'lambda')).toBe(false);
    expect(regionalSnsPrincipal('af-south-1', 'us-east-1')).toBe('sns.af-south-1.amazonaws.com');
  });

  test.each(['us-east-1', 'af-south-1'])('within %s have no restriction', region => {
    expect(isUnsupportedBetweenRegions(region, region, 'lambda')).toBe(false);
    expect(regionalSnsPrincipal(region, region)).toBeUndefined();
  });

  test('between Regions enabled by default have no restriction', () => {
    expect(isUnsupportedBetweenRegions('us-east-1', 'eu-west-1', 'lambda')).toBe(false);
    expect(regionalSnsPrincipal('us-east-1', 'eu-west-1')).toBeUndefined();
  });
});

describe('the name of a queue', () => {
  const FULL = 'a'.repeat(75);

  test.each(['a', 'Orders_dlq-1', 'a'.repeat(80)])('of a standard queue may be %s', name => {
    expect(name).toMatch(QUEUE_NAMES.standard);
  });

  test.each(['', 'a'.repeat(81), 'orders.fifo', 'or ders', '+orders', 'orders+'])(
    'of a standard queue must not be %j',
    name => {
      expect(name).not.toMatch(QUEUE_NAMES.standard);
    },
  );

  test.each(['a.fifo', `${FULL}.fifo`])('of a FIFO queue may be %s', name => {
    expect(name).toMatch(QUEUE_NAMES.fifo);
  });

  test.each(['.fifo', `${FULL}a.fifo`, 'orders', 'orders.fifo2', '+orders.fifo', 'orders-fifo'])(
    'of a FIFO queue must not be %s',
    name => {
      expect(name).not.toMatch(QUEUE_NAMES.fifo);
    },
  );
});
