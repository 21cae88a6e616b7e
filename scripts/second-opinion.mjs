// Usage: node second-opinion.mjs MODEL.gguf < questions.json > answers.json
// questions: {texts: [string], chats: [[{role, content}]]}
// answers: {texts: [[id]], chats: [[id]]}
import {readFileSync} from "node:fs";
import {getLlama, LlamaLogLevel} from "node-llama-cpp";
import {Template} from "@huggingface/jinja";

const questions = JSON.parse(readFileSync(0, "utf8"));
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: process.argv[2], vocabOnly: true});
const template = new Template(model.fileInfo.metadata.tokenizer.chat_template);
const bos = model.tokens.bosString;
const chats = questions.chats.map((messages) => {
  const prompt = template.render({messages, add_generation_prompt: true, bos_token: bos});
  return model.tokenize(prompt, true);
});
const texts = questions.texts.map((text) => model.tokenize(text, false));
process.stdout.write(JSON.stringify({texts, chats}), () => process.exit(0));
