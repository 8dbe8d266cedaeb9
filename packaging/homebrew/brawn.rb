class Brawn < Formula
  desc "Fast heap and memory functions for static musl programs"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux

  on_linux do
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/brawn-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_X86_64@"
    end
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/brawn-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_AARCH64@"
    end
  end

  def install
    bin.install "brawn", "cargo-brawn"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/bash/brawn"
    zsh_completion.install "completions/zsh/_brawn"
    fish_completion.install "completions/fish/brawn.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/brawn --version")
    (testpath/"one.c").write "int main(void) { return 0; }\n"
    system ENV.cc, "-static", "one.c", "-o", "one"
    assert_match "glibc", shell_output("#{bin}/brawn inspect one")
  end
end
