import fc from 'fast-check';
import { orRefused, Template, TemplateFailure } from '../../../local/apigateway/mapping/template';
import { templateInput, templateUtil } from '../../../local/apigateway/mapping/template-variables';

const BODY = {
  orderId: 'A-1',
  note: null,
  empty: '',
  zero: 0,
  paid: false,
  customer: { name: 'Ann', tags: [{ c: 5 }] },
  items: [{ sku: 'x' }, { sku: 'y' }],
};

function render(template: string, body = JSON.stringify(BODY)): string {
  const parameters = {
    path: { orderId: '7' },
    querystring: { page: '2', orderId: 'from the query' },
    header: { 'x-tenant': 'acme', 'content-type': 'application/json' },
  };
  return new Template(template).render({
    input: templateInput(body, parameters),
    util: templateUtil,
    context: { requestId: 'r-1', identity: { sourceIp: '192.0.2.1' } },
    stageVariables: { topic: 'Rental-Orders' },
  });
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
test.each([
  ["$input.path('$.orderId')", 'A-1'],
  ["$input.json('$.customer')", '{"name":"Ann","tags":[{"c":5}]}'],
  ["$input.json('$.orderId')", '"A-1"'],
  ["$input.json('$.items[*].sku')", '["x","y"]'],
  ["$input.json('$.absent')", '""'],
  ["$input.json('$.paid') $input.json('$.zero')", 'false 0'],
  ["#set($order = $input.path('$'))$order.customer.name $order.items[1].sku", 'Ann y'],
  ["[$input.path('$.absent')][$input.path('$.note')][$input.path('$.empty')][$context.nothing]", '[][][][]'],
  ["$input.path('$.items')", '[{"sku":"x"},{"sku":"y"}]'],
  ["$input.path('$.customer')", '{name=Ann, tags=[{"c":5}]}'],
  ["$input.path('$.paid') $input.path('$.zero')", 'false 0'],
  ["$input.params('orderId') $input.params('page') $input.params('X-Tenant') [$input.params('none')]", '7 2 acme []'],
  ["$input.params().querystring.get('page') $input.params().path.orderId", '2 7'],
  [
    '$context.requestId from $context.identity.sourceIp to $stageVariables.topic',
    'r-1 from 192.0.2.1 to Rental-Orders',
  ],
  ["#if($input.path('$.orderId') == 'A-1')yes#{else}no#end", 'yes'],
  ["#if($input.path('$.absent'))yes#{else}no#end", 'no'],
  ["#foreach($item in $input.path('$.items'))$item.sku#if($foreach.hasNext),#end#end", 'x,y'],
  ['#set($body = $util.parseJson($input.body))$body.orderId', 'A-1'],
  ["$util.base64Encode('café') $util.base64Decode('Y2Fmw6k=')", 'Y2Fmw6k= café'],
  ["$util.urlDecode('a%20b+c%26d')", 'a b c&d'],
  ["$input.path('$.orderId').length() $input.path('$.items').size() $input.path('$.empty').isEmpty()", '3 2 true'],
  ["$input.path('$.orderId').equals('A-1') $input.path('$.orderId').contains('-')", 'true true'],
  ["$input.path('$.customer').containsKey('name') $input.path('$.orderId').replaceAll('[A-Z]', '#')", 'true #-1'],
])('%s', (template, text) => {
  expect(render(template)).toBe(text);
});

test('the documented template that passes every parameter on', () => {
  const template = `#set($allParams = $input.params())
{#foreach($type in $allParams.keySet())#set($params = $allParams.get($type))"$type":{#foreach($name in $params.keySet())"$name":"$util.escapeJavaScript($params.get($name))"#if($foreach.hasNext),#end#end}#if($foreach.hasNext),#end#end}`;
  expect(JSON.parse(render(template))).toEqual({
    path: { orderId: '7' },
    querystring: { page: '2', orderId: 'from the query' },
    header: { 'x-tenant': 'acme', 'content-type': 'application/json' },
  });
});

test('escapeJavaScript escapes as Java does: quotes, line ends and whatever is beyond ASCII', () => {
  expect(templateUtil.escapeJavaScript('it\'s "5"\n\t\\ a/b é 🚗 \u0001')).toBe(
    'it\\\'s \\"5\\"\\n\\t\\\\ a\\/b \\u00E9 \\uD83D\\uDE97 \\u0001',
  );
});

test('urlEncode survives every text a form can carry', () => {
  expect(templateUtil.urlEncode('a b&c=d+e%f\n"é🚗')).toBe('a+b%26c%3Dd%2Be%25f%0A%22%C3%A9%F0%9F%9A%97');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const form = new URLSearchParams(`before=1&text=${templateUtil.urlEncode(text)}&after=2`);
      expect([form.get('before'), form.get('text'), form.get('after')]).toEqual(['1', text, '2']);
      expect(templateUtil.urlDecode(templateUtil.urlEncode(text))).toBe(text);
    }),
  );
});

test('an empty body is an empty object; one that is not JSON fails when it is asked for as JSON', () => {
  expect(render("$input.body [$input.path('$.a')]", '')).toBe('{} []');
  expect(render('$input.body', 'not json')).toBe('not json');
  const words = /^Unrecognized token 'not': was expecting \(JSON String.* at line 1, column 4/;
  expect(() => render("$input.path('$.a')", 'not json')).toThrow(words);
  expect(() => render('$util.parseJson($input.body)', 'not json')).toThrow(words);
});

test('a template that is no Velocity is refused before anybody uses it', () => {
  expect(() => new Template('#if($a')).toThrow('Parse error');
});

describe('a template that goes on and on', () => {
  const count = (template: string, body?: string): number => render(template, body).length;

  // API Gateway's quotas: "Iterations in a #ForEach ... #END loop in mapping templates: 1000".
  test('goes round a loop a thousand times', () => {
    const list = (length: number) => JSON.stringify({ list: Array(length).fill(0) });
    expect(count("#foreach($i in $input.path('$.list'))x#end", list(1000))).toBe(1000);
    expect(count("#foreach($i in $input.path('$.list'))x#end", list(1001))).toBe(1000);
    const range = "#set($n = $input.path('$.n'))#foreach($i in [1..$n])$i,#end";
    expect(render(range, '{"n":3}')).toBe('1,2,3,');
    expect(render(range, '{"n":-1}')).toBe('1,0,-1,');
    expect(render(range, '{"n":1000000000}').split(',').slice(-2)).toEqual(['1000', '']);
    expect(render("#set($m = {'a': 1, 'b': 2})#foreach($v in $m)$v#if($foreach.hasNext),#end#end")).toBe('1,2');
    expect(render('#foreach($i in $nothing)x#end#foreach($i in [])x#end')).toBe('');
  });

  test.each([
    ['#foreach($a in [1..1000])#foreach($b in [1..1000])#foreach($c in [1..1000])x#end#end#end', 'loops run more'],
    ['#set($n = 1000000000)#set($list = [1..$n])$list.size()', 'a range has more than 100000 items'],
    ['#macro(m)#m()#end#m()', 'blocks are nested more than 200 deep'],
    ['#define($d)$d#end$d', 'blocks are nested more than 200 deep'],
    ["$util.parseJson('{')", 'Unexpected end-of-input'],
    ["$input.path('$.orderId').matches('(')", 'is not a regular expression'],
    ["$input.path('$.orderId').repeat(-1)", 'repeat: Invalid count value: -1'],
    ["$input.path('$..[?(@.a ===')", 'Unexpected'],
  ])('or asks for what cannot be, fails: %s', (template, text) => {
    expect(() => render(template)).toThrow(TemplateFailure);
    expect(() => render(template)).toThrow(text);
  });

  test('fails no more than that on a body nested as deeply as a client likes', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(() => render("$input.json('$')", deep)).toThrow(TemplateFailure);
    expect(render("$input.json('$')", '[[[]]]')).toBe('[[[]]]');
  });
});

test('what Java’s methods match takes linear time', () => {
  const body = JSON.stringify({ text: `${'a'.repeat(10_000)}!` });
  expect(render("$input.path('$.text').matches('(a+)+')", body)).toBe('false');
  expect(render("$input.path('$.text').replaceFirst('(a+)+', '<$1>').length()", body)).toBe('10003');
});

// A bug of the engine must not be reported as an error in the user's template.
test('an error of the engine stays one', () => {
  const bug = () => {
    throw new TypeError('a bug');
  };
  expect(() => orRefused(bug, () => new Error('refused'))).toThrow(TypeError);
  const failure = () => {
    throw new TemplateFailure('no JSON');
  };
  expect(() => orRefused(failure, ({ message }) => new Error(`refused: ${message}`))).toThrow('refused: no JSON');
});
