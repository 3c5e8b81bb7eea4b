# The formula as the release workflow fills it in: VERSION, and the sums of SHA256SUMS.
class Warmturn < Formula
  desc "LLM server whose next turn is already prefilled when it arrives"
  homepage "https://github.com/warmturn/warmturn"
  version "VERSION"
  license "MIT"

  on_macos do
    on_arm do
      url "https://github.com/warmturn/warmturn/releases/download/v#{version}/warmturn-#{version}-darwin-arm64"
      sha256 "SHA256_DARWIN_ARM64"
    end
    on_intel do
      url "https://github.com/warmturn/warmturn/releases/download/v#{version}/warmturn-#{version}-darwin-x64"
      sha256 "SHA256_DARWIN_X64"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/warmturn/warmturn/releases/download/v#{version}/warmturn-#{version}-linux-arm64"
      sha256 "SHA256_LINUX_ARM64"
    end
    on_intel do
      url "https://github.com/warmturn/warmturn/releases/download/v#{version}/warmturn-#{version}-linux-x64"
      sha256 "SHA256_LINUX_X64"
    end
  end

  def install
    bin.install Dir["warmturn-*"].first => "warmturn"
  end

  service do
    run [opt_bin/"warmturn", "serve", "--no-supervise"]
    keep_alive successful_exit: false
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/warmturn --version")
  end
end
