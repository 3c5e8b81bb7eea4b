/** BERT by its definition, in doubles, over the weights of `tinyEncoder`: what llama.cpp must come near to. */
import { ENCODER, type TinyEncoder } from "./tinyEncoder.ts";

type Row = readonly number[];

/** The hidden state of each token behind the last layer. */
export function hiddenByHand({ tensors }: TinyEncoder, tokens: readonly number[]): Row[] {
  const { size, heads, layers } = ENCODER;
  const tensor = (name: string): Float32Array => {
    const found = tensors.get(name);
    if (found === undefined) throw new Error(`no tensor ${name}`);
    return found.data;
  };
  const rowOf = (name: string, row: number): Row => [...tensor(name).subarray(row * size, (row + 1) * size)];
  const linear = (name: string, row: Row): Row =>
    linearByHand(tensor(`${name}.weight`), tensor(`${name}.bias`), row);
  const norm = (name: string, row: Row): Row => {
    const mean = sum(row) / size;
    const deviation = Math.sqrt(sum(row.map((x) => (x - mean) ** 2)) / size + ENCODER.epsilon);
    const [weight, bias] = [tensor(`${name}.weight`), tensor(`${name}.bias`)];
    return row.map((x, i) => ((x - mean) / deviation) * (weight[i] ?? 0) + (bias[i] ?? 0));
  };
  let rows = tokens.map((token, at) =>
    norm(
      "token_embd_norm",
      added(
        rowOf("token_embd.weight", token),
        added(rowOf("position_embd.weight", at), rowOf("token_types.weight", 0)),
      ),
    ),
  );
  for (let layer = 0; layer < layers; layer++) {
    const at = `blk.${layer}`;
    const [queries, keys, values] = ["attn_q", "attn_k", "attn_v"].map((name) =>
      rows.map((row) => linear(`${at}.${name}`, row)),
    ) as [Row[], Row[], Row[]];
    const width = size / heads;
    rows = rows.map((row, token) => {
      const mixed = Array.from({ length: heads }, (_, head) => {
        const part = (some: Row | undefined): Row => some?.slice(head * width, (head + 1) * width) ?? [];
        const query = part(queries[token]);
        const weights = softmax(keys.map((key) => dot(query, part(key)) / Math.sqrt(width)));
        return part(queries[0]).map((_, i) =>
          sum(values.map((value, other) => (weights[other] ?? 0) * (part(value)[i] ?? 0))),
        );
      }).flat();
      const attended = norm(`${at}.attn_output_norm`, added(linear(`${at}.attn_output`, mixed), row));
      const fed = linear(`${at}.ffn_down`, linear(`${at}.ffn_up`, attended).map(gelu));
      return norm(`${at}.layer_output_norm`, added(fed, attended));
    });
  }
  return rows;
}

/** What the classification head makes of the first token. */
export function scoreByHand(model: TinyEncoder, tokens: readonly number[]): number {
  const head = (name: string): readonly [Float32Array, Float32Array] => [
    model.tensors.get(`${name}.weight`)?.data ?? new Float32Array(),
    model.tensors.get(`${name}.bias`)?.data ?? new Float32Array(),
  ];
  const [first = []] = hiddenByHand(model, tokens);
  const pooled = linearByHand(...head("cls"), first).map(Math.tanh);
  return linearByHand(...head("cls.output"), pooled)[0] ?? Number.NaN;
}

function linearByHand(weight: Float32Array, bias: Float32Array, row: Row): Row {
  return Array.from(
    bias,
    (b, out) => b + dot(row, [...weight.subarray(out * row.length, (out + 1) * row.length)]),
  );
}

const sum = (row: Row): number => row.reduce((a, b) => a + b, 0);
const added = (a: Row, b: Row): Row => a.map((x, i) => x + (b[i] ?? 0));
const dot = (a: Row, b: Row): number => sum(a.map((x, i) => x * (b[i] ?? 0)));

function softmax(scores: Row): Row {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

/** The approximation that ggml has. */
function gelu(x: number): number {
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
}
